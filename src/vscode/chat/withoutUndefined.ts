/** zod writes absent optional fields as undefined; the message types leave them out. */
export function withoutUndefined<T extends object>(list: readonly T[]): T[] {
  return list.map((entry) => Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined)) as T);
}
