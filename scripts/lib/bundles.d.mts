import type { BuildOptions } from 'esbuild';

export interface BundleOptions {
  minify: boolean;
  outdir?: string;
}

export const workerEntries: Record<string, string>;
export function hostOptions(options: BundleOptions): BuildOptions;
export function pageOptions(options: BundleOptions): BuildOptions;
export function copyAssets(outdir?: string): Promise<void>;
export const requireBanner: string;
