export const root: string;
export const workbenchDir: string;
export const vscodeDir: string;
export const codeServerEntry: string;
export const picturesDir: string;
export const reportsDir: string;
