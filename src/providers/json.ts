/** A JSON object of which nothing is known: what a provider really sends is not what its types say. */
export type Json = Record<string, unknown>;

/** The value as an object, or undefined. */
export function record(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

export function field(object: Json | undefined, name: string): unknown {
  return object?.[name];
}

/** The field as text; empty where it is anything else. */
export function string(object: Json | undefined, name: string): string {
  const value = object?.[name];
  return typeof value === 'string' ? value : '';
}

/** The field as a number; 0 where it is anything else. */
export function number(object: Json | undefined, name: string): number {
  const value = object?.[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

/** The field as a list; empty where it is anything else. */
export function list(object: Json | undefined, name: string): unknown[] {
  const value = object?.[name];
  return Array.isArray(value) ? (value as unknown[]) : [];
}
