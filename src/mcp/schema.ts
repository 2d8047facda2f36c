/** A JSON schema as it comes: nothing about it is certain. */
export type JsonSchema = Record<string, unknown>;

/** Levels of a schema that are kept; deeper, anything is taken. */
const DEEPEST = 10;
/** Parts of one schema that are kept: references within references could make millions of a few lines. */
const MOST_PARTS = 2_000;
/** Characters of a schema with its descriptions; without them; and beyond that nothing of it is told. */
const LONGEST = 12_000;
/** What providers take as the name of a property. */
const PROPERTY = /^[\w.-]{1,64}$/;
/** Words about the schema itself that providers refuse or that mean nothing outside it. */
const DROPPED = new Set(['$schema', '$id', '$comment', '$defs', 'definitions', '$anchor', '$vocabulary', 'examples']);
const COMBINATIONS = ['anyOf', 'oneOf', 'allOf'] as const;

/**
 * A tool's schema in the form that every provider takes: an object at the top without `anyOf` and its like, local references put in place of `$ref`
 * (one that refers to itself ends as "anything"), one type where several were named, items for lists. What is left out makes the schema wider,
 * never narrower: the server checks the arguments itself. Never throws.
 */
export function providerSchema(schema: unknown): JsonSchema {
  const root = isObject(schema) ? schema : {};
  const whole = asObject(convert(root, { root, depth: 0, open: [], made: { count: 0 } }));
  if (JSON.stringify(whole).length <= LONGEST) return whole;
  const short = withoutWords(whole) as JsonSchema;
  return JSON.stringify(short).length <= LONGEST ? short : { type: 'object', properties: {} };
}

interface Place {
  root: JsonSchema;
  depth: number;
  /** References that are being put in place around this one. */
  open: string[];
  /** Parts made so far, of the whole schema. */
  made: { count: number };
}

function convert(schema: unknown, place: Place): JsonSchema {
  if (!isObject(schema) || place.depth > DEEPEST || ++place.made.count > MOST_PARTS) return {};
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    const { $ref: _reference, ...beside } = schema;
    if (place.open.includes(reference)) return convert(beside, place);
    const target = lookup(place.root, reference);
    return convert({ ...(isObject(target) ? target : {}), ...beside }, { ...place, open: [...place.open, reference] });
  }
  const inside: Place = { ...place, depth: place.depth + 1 };
  const result: JsonSchema = {};
  for (const [word, value] of Object.entries(schema)) {
    if (!DROPPED.has(word)) result[word] = convertWord(word, value, inside);
  }
  return withType(result);
}

function convertWord(word: string, value: unknown, place: Place): unknown {
  if (word === 'properties') return isObject(value) ? convertProperties(value, place) : {};
  if (word === 'items') return Array.isArray(value) ? { anyOf: convertAll(value, place) } : convert(value, place);
  if (word === 'additionalProperties') return typeof value === 'boolean' ? value : convert(value, place);
  if (word === 'anyOf' || word === 'oneOf' || word === 'allOf') return convertAll(value, place);
  return value;
}

function convertAll(value: unknown, place: Place): JsonSchema[] {
  return Array.isArray(value) ? value.map((each) => convert(each, place)) : [];
}

function convertProperties(properties: JsonSchema, place: Place): JsonSchema {
  const kept = Object.entries(properties).filter(([name]) => PROPERTY.test(name));
  return Object.fromEntries(kept.map(([name, schema]) => [name, convert(schema, place)]));
}

/** One type where it can be told: of several the one that is not null, else what the other words mean. */
function withType(schema: JsonSchema): JsonSchema {
  const { type, ...rest } = schema;
  const named = (Array.isArray(type) ? (type as unknown[]) : [type]).filter(
    (each) => typeof each === 'string' && each !== 'null',
  );
  if (named.length > 1) {
    const { anyOf: _old, ...others } = rest;
    return { ...others, anyOf: named.map((each) => (each === 'array' ? { type: each, items: {} } : { type: each })) };
  }
  const single = named[0] ?? impliedType(rest);
  if (single === undefined) return rest;
  const full: JsonSchema = { type: single, ...rest };
  if (single === 'array') full['items'] ??= {};
  return single === 'object' ? withRequired(full) : full;
}

function impliedType(schema: JsonSchema): string | undefined {
  if (isObject(schema['properties'])) return 'object';
  if (schema['items'] !== undefined) return 'array';
  const values: unknown[] = Array.isArray(schema['enum']) ? schema['enum'] : 'const' in schema ? [schema['const']] : [];
  const types = new Set(values.map((value) => typeof value));
  const [type] = types;
  return types.size === 1 && (type === 'string' || type === 'number' || type === 'boolean') ? type : undefined;
}

/** Only names of properties that are there can be required. */
function withRequired(schema: JsonSchema): JsonSchema {
  const { required, ...rest } = schema;
  if (!Array.isArray(required)) return rest;
  const properties = isObject(rest['properties']) ? rest['properties'] : {};
  const names = required.filter((name) => typeof name === 'string' && Object.hasOwn(properties, name));
  return names.length > 0 ? { ...rest, required: names } : rest;
}

/** The top: an object, with what its alternatives have in common and could have. */
function asObject(schema: JsonSchema): JsonSchema {
  const {
    anyOf: _any,
    oneOf: _one,
    allOf: _all,
    not: _not,
    enum: _enum,
    if: _if,
    then: _then,
    else: _else,
    ...own
  } = schema;
  const properties: JsonSchema = {};
  const required = new Set<unknown>();
  for (const word of COMBINATIONS) {
    const parts = (Array.isArray(schema[word]) ? schema[word] : []).filter(isObject).map(asObject);
    for (const part of parts) Object.assign(properties, part['properties']);
    const lists = parts.map((part) => (Array.isArray(part['required']) ? (part['required'] as unknown[]) : []));
    const common =
      word === 'allOf' ? lists.flat() : (lists[0] ?? []).filter((name) => lists.every((list) => list.includes(name)));
    for (const name of common) required.add(name);
  }
  Object.assign(properties, own['properties']);
  for (const name of Array.isArray(own['required']) ? (own['required'] as unknown[]) : []) required.add(name);
  const { required: _required, ...rest } = own;
  return { ...rest, type: 'object', properties, ...(required.size > 0 ? { required: [...required] } : {}) };
}

function withoutWords(value: unknown, isNames = false): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutWords(each));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([word]) => isNames || (word !== 'description' && word !== 'title'));
  return Object.fromEntries(kept.map(([word, each]) => [word, withoutWords(each, word === 'properties')]));
}

/** What a reference such as `#/$defs/node` leads to; undefined for any other than to a place in the schema itself. */
function lookup(root: JsonSchema, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined;
  let value: unknown = root;
  for (const part of reference.slice(1).split('/').slice(1)) {
    const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    value = isObject(value) || Array.isArray(value) ? (value as JsonSchema)[name] : undefined;
  }
  return value;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
