import { isObject, parseLine, textOfBytes } from '../../session/lines.js';
import { textOf } from '../../protocol/message.js';

/** Characters of one text that are searched; what follows is rarely talk. */
export const SEARCHED_CHARACTERS = 20_000;

/** What one line of a source says. */
export interface Said {
  text: string;
  /** Epoch milliseconds; NaN where no time is given. */
  time: number;
  role: 'user' | 'assistant' | '';
  /** The name of who speaks, where the line gives one. */
  speaker: string;
}

const RUNTIME_CONTEXT = '[Runtime Context';
/** A date in brackets, as exports of chats put it in front. */
const DATE_IN_FRONT = /^\s*[[(]([^\])\n]{4,40}\d{4}[^\])\n]{0,24})[\])]\s*[-–:]?\s*/;
/** A name and a colon at the start of a message: "Anna: …", "**Anna Lee:** …", "小明：…". */
const NAME_IN_FRONT =
  /^\s*[*_]{0,2}(\p{Lu}[\p{L}.'’-]{0,24}(?: \p{Lu}[\p{L}.'’-]{0,24}){0,2}|[\u4e00-\u9fff]{2,4})[*_]{0,2}\s*[:：][*_]{0,2}\s*(?=\S)/u;
const NO_NAME =
  /^(?:https?|note|ps|p\.s\.|todo|fixme|error|warning|question|answer|update|edit|summary|example|hint|tip|important|注意|例如|比如|问题|答案|总结|备注|提示|结果|原因)$/i;

/** Reads a line of a session; undefined for everything that is no talk: metadata, results of tools, calls without words, torn lines. */
export function saidInSession(bytes: Uint8Array): Said | undefined {
  const line = parseLine(bytes);
  if (line.kind !== 'message' || line.message.role === 'tool') return undefined;
  const { timestamp, name, sender } = line.message;
  const role = sender ? 'assistant' : line.message.role;
  const said = withSpeaker(withoutContext(textOf(line.message.content)), typeof name === 'string' ? name : '');
  if (said.text === '') return undefined;
  const time = Date.parse(plainDate(timestamp));
  return { role, text: said.text, speaker: said.speaker, time: Number.isNaN(time) ? said.time : time };
}

/** Reads a line of history.jsonl; undefined for one that says nothing or is no entry. */
export function saidInHistory(bytes: Uint8Array): Said | undefined {
  let value: unknown;
  try {
    value = JSON.parse(textOfBytes(bytes));
  } catch {
    return undefined;
  }
  if (!isObject(value) || typeof value['content'] !== 'string') return undefined;
  const text = value['content'].slice(0, SEARCHED_CHARACTERS).trim();
  const time = typeof value['timestamp'] === 'string' ? Date.parse(value['timestamp']) : NaN;
  return text === '' ? undefined : { text, time, role: '', speaker: '' };
}

/** The key that a session's metadata line names. */
export function keyInSession(bytes: Uint8Array): string | undefined {
  const line = parseLine(bytes);
  return line.kind === 'metadata' ? line.metadata.key : undefined;
}

/** Takes the date and the name off the front of a message. */
function withSpeaker(whole: string, given: string): { text: string; speaker: string; time: number } {
  let text = whole;
  let time = NaN;
  const dated = DATE_IN_FRONT.exec(text);
  if (dated) {
    time = Date.parse(plainDate(dated[1] ?? ''));
    if (!Number.isNaN(time)) text = text.slice(dated[0].length);
  }
  const named = NAME_IN_FRONT.exec(text);
  const name = named?.[1] ?? '';
  if (named && !NO_NAME.test(name)) return { text: text.slice(named[0].length).trim(), speaker: given || name, time };
  return { text: text.trim(), speaker: given, time };
}

/** "1:56 pm on 8 May, 2023" in the order that Date.parse takes. */
function plainDate(text: string): string {
  const turned = /^(\d{1,2}:\d{2}\s*(?:[ap]m)?)\s*(?:on|,)\s*(.+)$/i.exec(text.trim());
  return (turned ? `${turned[2] ?? ''} ${turned[1] ?? ''}` : text).replaceAll(',', ' ');
}

/** Leaves out what was told to the model beside the person's words. */
function withoutContext(text: string): string {
  const cut = text.slice(0, SEARCHED_CHARACTERS);
  const at = cut.indexOf(RUNTIME_CONTEXT);
  if (at < 0) return cut;
  if (at > 0) return cut.slice(0, at);
  const end = cut.indexOf('\n\n');
  return end < 0 ? '' : cut.slice(end);
}
