export interface ServerOptions {
  port: number;
  userDataDir: string;
  extensionsDir: string;
  config: string;
  env: Record<string, string | undefined>;
  trust?: boolean;
  locale?: string | undefined;
}

export interface Server {
  port: number;
  origin: string;
  pid: number;
  exited: Promise<unknown>;
  log(): string;
  stop(gentleMs?: number): Promise<void>;
}

export function startServer(options: ServerOptions): Promise<Server>;
export function freePort(preferred?: number): Promise<number>;
export function extensionHostsOf(serverPid: number): number[];
export function workbenchAddress(origin: string, path?: string): string;
