/** An error in Node's form, for a file system condition that was found by looking and not by failing. */
export function fileErrorOf(code: string, path: string, reason: string): NodeJS.ErrnoException {
  const error: NodeJS.ErrnoException = new Error(`${code}: ${reason}, '${path}'`);
  error.code = code;
  error.path = path;
  return error;
}

/** The `code` of an error in Node's form, such as `ENOENT`; undefined for any other value. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Whether an error says that there is nothing at the path, be it the end of the path or a part of it. */
export function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
