import { t } from '@vscode/l10n';
import type { ToolContext } from '../runner/tool.js';

/** Questions of one request. */
const MOST_FIELDS = 10;

type Value = string | number | boolean | string[];
/** What a server is told of its question. */
export type Elicited =
  { action: 'accept'; content: Record<string, Value> } | { action: 'decline' } | { action: 'cancel' };

interface Field {
  type?: string;
  title?: string;
  description?: string;
  enum?: unknown[];
  oneOf?: { const?: unknown; title?: unknown }[];
  default?: string | number | boolean;
}

/**
 * Puts what a server wants to know before the person, one card a field, in the turn whose call it belongs to. Declining any card declines the whole.
 * Where nobody watches, or the turn is stopped, the request is cancelled.
 */
export async function elicit(
  server: string,
  params: { message?: string | undefined; requestedSchema?: unknown },
  context: Pick<ToolContext, 'ask' | 'watched'> | undefined,
): Promise<Elicited> {
  if (!context?.watched) return { action: 'cancel' };
  const { properties = {} } = (params.requestedSchema ?? {}) as { properties?: Record<string, Field> };
  const fields = Object.entries(properties);
  if (fields.length > MOST_FIELDS) return { action: 'cancel' };
  const content: Record<string, Value> = {};
  const asks = t('The MCP server {0} asks: {1}', server, params.message ?? '');
  const [accept, decline] = [t('Accept'), t('Decline')];
  try {
    if (fields.length === 0) {
      const answer = await context.ask({ text: asks, options: [accept, decline] });
      return answer === accept ? { action: 'accept', content } : { action: 'decline' };
    }
    for (const [name, field] of fields) {
      const answer = await context.ask({
        text: `${asks}\n${label(name, field)}`,
        options: [...choices(field), decline],
      });
      const value = answer === decline ? undefined : valueOf(field, answer);
      if (value === undefined) return { action: 'decline' };
      content[name] = value;
    }
    return { action: 'accept', content };
  } catch {
    return { action: 'cancel' };
  }
}

function label(name: string, { title, description, default: fallback }: Field): string {
  const about = description ? ` (${description})` : '';
  const usual = fallback === undefined ? '' : ` [${String(fallback)}]`;
  return `${title ?? name}${about}${usual}`;
}

function choices(field: Field): string[] {
  if (field.type === 'boolean') return [t('Yes'), t('No')];
  const named = (field.oneOf ?? []).map((choice) => String(choice.title ?? choice.const));
  const usual = field.default === undefined ? [] : [String(field.default)];
  return named.length > 0 ? named : field.enum ? field.enum.map(String) : usual;
}

/** The answer in the type that was asked for; undefined where it cannot be. */
function valueOf(field: Field, answer: string): Value | undefined {
  const text = answer.trim();
  const titled = field.oneOf?.find((choice) => choice.title === text);
  if (titled) return String(titled.const);
  switch (field.type) {
    case 'boolean':
      if (text === t('Yes') || /^(yes|true|y|1)$/i.test(text)) return true;
      return text === t('No') || /^(no|false|n|0)$/i.test(text) ? false : undefined;
    case 'number':
    case 'integer': {
      const number = Number(text);
      return text === '' || Number.isNaN(number) ? undefined : number;
    }
    case 'array':
      return text.split(',').map((each) => each.trim());
    default:
      return text;
  }
}
