import type { ToolResult } from '../runner/tool.js';

/** Characters of text that are kept of one result. */
const LONGEST = 1_000_000;
/** Bytes of one image, as base64; and images of one result. */
const LARGEST_IMAGE = 7_000_000;
const MOST_IMAGES = 8;
/** The images that models take, by how their base64 begins. */
const IMAGES: [string, string][] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
];

type Image = NonNullable<ToolResult['images']>[number];
type Fields = Record<string, unknown>;

/**
 * What a server answered, as text and images. Everything in it is text from outside. Parts of a kind that no model can be given are named, not
 * dropped in silence; a text over a million characters is cut.
 */
export function resultOf(answer: unknown): ToolResult {
  const { content, structuredContent, isError } = fieldsOf(answer);
  const texts: string[] = [];
  const images: Image[] = [];
  for (const part of Array.isArray(content) ? content : []) add(fieldsOf(part), texts, images);
  // Servers that answer in a form of their own are to repeat it as text; one that does not is still understood.
  if (texts.length === 0 && structuredContent !== undefined) texts.push(JSON.stringify(structuredContent));
  return {
    text: cut(texts.join('\n')),
    ...(images.length > 0 ? { images } : {}),
    ...(isError === true ? { failed: true } : {}),
  };
}

/** The contents of a resource, in the same form. */
export function resourceResult(answer: unknown): ToolResult {
  const { contents } = fieldsOf(answer);
  const parts = (Array.isArray(contents) ? contents : []).map((resource) => ({
    type: 'resource',
    resource: resource as unknown,
  }));
  return resultOf({ content: parts });
}

function add(part: Fields, texts: string[], images: Image[]): void {
  switch (part['type']) {
    case 'text':
      texts.push(words(part['text']));
      return;
    case 'image':
      addImage(words(part['data']), texts, images);
      return;
    case 'resource':
      addResource(fieldsOf(part['resource']), texts, images);
      return;
    case 'resource_link':
      texts.push(`[resource ${words(part['uri'])}${part['name'] ? ` (${words(part['name'])})` : ''}]`);
      return;
    default:
      texts.push(`[a part of type ${words(part['type']) || 'unknown'}, which cannot be shown to you]`);
  }
}

function addResource(resource: Fields, texts: string[], images: Image[]): void {
  const { uri, text, blob, mimeType } = resource;
  if (typeof text === 'string') texts.push(`${words(uri)}:\n${text}`);
  else if (typeof blob === 'string' && imageType(blob)) addImage(blob, texts, images);
  else texts.push(`[${words(uri)}: binary${mimeType ? `, ${words(mimeType)}` : ''}, which cannot be shown to you]`);
}

function addImage(data: string, texts: string[], images: Image[]): void {
  const type = imageType(data);
  if (!type) texts.push('[an image of a kind that cannot be shown to you]');
  else if (data.length > LARGEST_IMAGE) texts.push('[an image of more than 5 MB, left out]');
  else if (images.length >= MOST_IMAGES) texts.push('[one more image, left out]');
  else images.push({ type: 'image_url', image_url: { url: `data:${type};base64,${data}` } });
}

function imageType(base64: string): string | undefined {
  return IMAGES.find(([start]) => base64.startsWith(start))?.[1];
}

function cut(text: string): string {
  if (text.length <= LONGEST) return text;
  return `${text.slice(0, LONGEST)}\n… ${String(text.length - LONGEST)} more characters were left out.`;
}

function words(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
