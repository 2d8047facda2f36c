import { rawText } from '../tools/support/text.js';

/** What keeps contents by names that never change. */
export interface ContentStore {
  keepContent(bytes: Uint8Array): Promise<string>;
  content(name: string): Promise<Uint8Array | undefined>;
}

/** Texts held at most, the newest: an editor asks for them with every key. */
const MAX_HELD = 20;

/** The texts of kept contents. */
export class KeptTexts {
  private readonly held = new Map<string, string>();

  constructor(private readonly contents: ContentStore) {}

  /** Undefined for what is not kept any more, or is no text. */
  async of(name: string): Promise<string | undefined> {
    const known = this.held.get(name);
    if (known !== undefined) return known;
    const text = rawText(await this.contents.content(name));
    if (text !== undefined) this.held.set(name, text);
    for (const old of [...this.held.keys()].slice(0, Math.max(0, this.held.size - MAX_HELD))) this.held.delete(old);
    return text;
  }

  /** Resolves with its name. */
  keep(text: string): Promise<string> {
    return this.contents.keepContent(Buffer.from(text, 'utf8'));
  }
}
