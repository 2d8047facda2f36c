/** Milliseconds since 1970 with fractions, the same in every thread and process of this machine. */
export function epoch(): number {
  return performance.timeOrigin + performance.now();
}
