import type { Json } from './json.js';
import { knownFacts } from './modelFacts.js';
import { COMMON_IDS, type Dialect } from './openaiDialects.js';
import type { Ways } from './openaiLessons.js';
import { labelled, offeredTools, takesTemperature } from './openaiRequest.js';
import type { ModelRequest } from './provider.js';
import { assistantItems } from './responsesReplay.js';
import { responsesEffort } from './thinking.js';
import { toTurns, type Part, type Turn } from './transcript.js';

/** The API takes no lower limit. */
const LEAST_TOKENS = 16;

/** A request's body, and the ids of the reasoning items in it. */
export interface ResponsesBody {
  body: Json;
  replayed: string[];
}

/** The body of a streaming request to the Responses API, from which nothing is stored there: what the model thought travels along, encrypted. */
export function responsesBody(request: ModelRequest, model: string, dialect: Dialect, ways: Ways): ResponsesBody {
  const tools = offeredTools(request, dialect);
  const replayed: string[] = [];
  const mostTokens = knownFacts(model)?.maxOutput ?? Infinity;
  const place = { from: `${dialect.name}/${model}`, refused: ways.refused, replayed };
  const effort = responsesEffort(model, request.thinking);
  const reasoning = { ...(effort ? { effort } : {}), ...(ways.summary ? { summary: 'auto' } : {}) };
  const body = {
    model,
    ...(request.system === '' ? {} : { instructions: request.system }),
    input: inputItems(toTurns(request.messages, COMMON_IDS), dialect, place),
    ...(tools.length > 0 ? { tools: tools.map((tool) => ({ type: 'function', ...tool, strict: false })) } : {}),
    ...(tools.length > 0 && request.toolChoice ? { tool_choice: request.toolChoice } : {}),
    stream: true,
    store: false,
    max_output_tokens: Math.max(LEAST_TOKENS, Math.min(request.maxTokens, mostTokens)),
    ...(request.temperature !== undefined && takesTemperature(model) ? { temperature: request.temperature } : {}),
    ...(ways.encrypted ? { include: ['reasoning.encrypted_content'] } : {}),
    ...(ways.summary || effort ? { reasoning } : {}),
    ...(dialect.cacheKey ? { prompt_cache_key: request.sessionKey.slice(0, 64) } : {}),
  };
  return { body, replayed };
}

function inputItems(turns: readonly Turn[], dialect: Dialect, place: Parameters<typeof assistantItems>[1]): Json[] {
  const items: Json[] = [];
  let images: Part[] = [];
  turns.forEach((turn, at) => {
    const next = turns[at + 1]?.role;
    if (turn.role === 'assistant') items.push(...assistantItems(turn, place));
    else if (turn.role === 'user') {
      items.push(userItem([...images, ...turn.parts]));
      images = [];
    } else if (dialect.imagesInResults) items.push(resultItem(turn, turn.images));
    else {
      items.push(resultItem(turn, []));
      images.push(...labelled(turn));
      if (images.length === 0 || next === 'tool' || next === 'user') return;
      items.push(userItem(images));
      images = [];
    }
  });
  return items;
}

function userItem(parts: readonly Part[]): Json {
  return { type: 'message', role: 'user', content: parts.map(inputPart) };
}

function resultItem(turn: Extract<Turn, { role: 'tool' }>, images: readonly Part[]): Json {
  const text = inputPart({ type: 'text', text: turn.text });
  const output = images.length === 0 ? turn.text : [text, ...images.map(inputPart)];
  return { type: 'function_call_output', call_id: turn.id, output };
}

function inputPart(part: Part): Json {
  return part.type === 'text'
    ? { type: 'input_text', text: part.text }
    : { type: 'input_image', image_url: part.url, detail: 'auto' };
}
