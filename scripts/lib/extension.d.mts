export function ensurePackaged(): Promise<string>;
export function ensureUnpacked(): Promise<string>;
export function extensionFolderName(extension: string): string;
