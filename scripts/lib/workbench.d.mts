export function ensureWorkbench(): Promise<void>;
export function isWorkbenchInstalled(): boolean;
export function workbenchNode(): string;
