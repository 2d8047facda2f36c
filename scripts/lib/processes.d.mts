export function descendantsOf(pid: number): { pid: number; command: string }[];
export function killTree(pid: number, signal?: NodeJS.Signals): void;
