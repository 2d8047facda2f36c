import { jsonrepair } from 'jsonrepair';
import type { Tool } from './tool.js';

export type ParsedArguments = { ok: true; args: unknown } | { ok: false; error: string };

/**
 * Turns the text a model wrote as arguments into validated values: parsed as JSON (repaired only where the text is whole, never where it was
 * cut off), cast to the schema's types ("5" where a number is due), validated. The error names the field and what was expected.
 */
export function parseArguments(tool: Pick<Tool, 'name' | 'parameters' | 'schema'>, text: string): ParsedArguments {
  const parsed = parseObject(text);
  if (!parsed.ok) return parsed;
  const cast = castTo(tool.parameters, parsed.args);
  const result = tool.schema.safeParse(cast);
  if (result.success) return { ok: true, args: result.data };
  const problems = result.error.issues.slice(0, 5).map((issue) => {
    const field = issue.path.length > 0 ? issue.path.join('.') : 'the arguments';
    return `${field}: ${issue.message}`;
  });
  return {
    ok: false,
    error: `Invalid arguments for ${tool.name}: ${problems.join('; ')}. Correct them and call again.`,
  };
}

/** Reads the arguments without validation, for a summary; an empty object where they cannot be read. */
export function looseArguments(text: string): unknown {
  const parsed = parseObject(text);
  return parsed.ok ? parsed.args : {};
}

function parseObject(text: string): ParsedArguments {
  const trimmed = text.trim();
  if (trimmed === '') return { ok: true, args: {} };
  const direct = tryParse(trimmed);
  if (direct !== undefined) return asObject(direct);
  // A text that does not end in a brace was cut off: what is missing cannot be known, so it is not repaired.
  if (trimmed.startsWith('{') && trimmed.endsWith('}')) {
    const repaired = tryRepair(trimmed);
    if (repaired !== undefined) return asObject(repaired);
  }
  const shown = trimmed.length > 200 ? `${trimmed.slice(0, 200)}…` : trimmed;
  return { ok: false, error: `The arguments are not valid JSON: ${shown}. Call again with one whole JSON object.` };
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function tryRepair(text: string): unknown {
  try {
    return JSON.parse(jsonrepair(text)) as unknown;
  } catch {
    return undefined;
  }
}

function asObject(value: unknown): ParsedArguments {
  // Some models send the object as a JSON string within JSON.
  if (typeof value === 'string') {
    const inner = tryParse(value);
    if (typeof inner === 'object' && inner !== null && !Array.isArray(inner)) return { ok: true, args: inner };
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ok: true, args: value };
  return { ok: false, error: `The arguments must be one JSON object, not ${describe(value)}.` };
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}

interface JsonSchema {
  type?: string;
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
}

function castTo(schema: JsonSchema, value: unknown): unknown {
  switch (schema.type) {
    case 'object': {
      const object = typeof value === 'string' ? (tryParse(value) ?? value) : value;
      if (typeof object !== 'object' || object === null || Array.isArray(object)) return object;
      const entries = Object.entries(object).map(([key, entry]) => [
        key,
        castTo(schema.properties?.[key] ?? {}, entry),
      ]);
      return Object.fromEntries(entries.filter(([, entry]) => entry !== null)) as unknown;
    }
    case 'array': {
      const list = typeof value === 'string' ? (tryParse(value) ?? value) : value;
      return Array.isArray(list) ? list.map((entry) => castTo(schema.items ?? {}, entry)) : list;
    }
    case 'integer':
    case 'number':
      return typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value;
    case 'boolean':
      if (value === 'true') return true;
      return value === 'false' ? false : value;
    case 'string':
      return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    default:
      return value;
  }
}
