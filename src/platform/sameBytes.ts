/** Whether two contents are the same, byte for byte. Undefined stands for a file that is not there: it equals only another such. */
export function sameBytes(left: Uint8Array | undefined, right: Uint8Array | undefined): boolean {
  return left === undefined || right === undefined ? left === right : Buffer.compare(left, right) === 0;
}
