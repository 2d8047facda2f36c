/** One server-sent event. `stray` marks text that is no event at all, such as an HTML page or a JSON body sent in place of a stream. */
export interface ServerEvent {
  event: string;
  data: string;
  stray?: true;
}

/** Characters of stray text that are kept: enough for an error body or a short answer that was not streamed. */
const MAX_STRAY = 1_000_000;

/** Splits text into lines that end in LF, CRLF or CR, wherever the pieces were cut. */
class LineSplitter {
  #rest = '';
  #scanned = 0;
  #afterReturn = false;

  push(text: string): string[] {
    const lines: string[] = [];
    this.#rest += text;
    let start = 0;
    for (let at = this.#scanned; at < this.#rest.length; at++) {
      const code = this.#rest.charCodeAt(at);
      if (code === 10 && this.#afterReturn && at === start) start = at + 1;
      else if (code === 10 || code === 13) {
        lines.push(this.#rest.slice(start, at));
        start = at + 1;
      }
      this.#afterReturn = code === 13;
    }
    this.#rest = this.#rest.slice(start);
    this.#scanned = this.#rest.length;
    return lines;
  }

  end(): string {
    return this.#rest;
  }
}

/** Collects the lines of one event until an empty line ends it. */
class EventBuilder {
  #event = '';
  #data: string[] = [];
  #stray: string[] = [];
  #strayLength = 0;

  line(line: string): ServerEvent | undefined {
    if (line === '') return this.flush();
    const colon = line.indexOf(':');
    // A comment: keeps the connection alive and says nothing.
    if (colon === 0) return undefined;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#event = value;
    else if (field !== 'id' && field !== 'retry' && this.#strayLength < MAX_STRAY) {
      this.#stray.push(line);
      this.#strayLength += line.length;
    }
    return undefined;
  }

  /** Lines without data are no event; the name is forgotten with them. */
  flush(): ServerEvent | undefined {
    const event = this.#data.length > 0 ? { event: this.#event, data: this.#data.join('\n') } : undefined;
    this.#event = '';
    this.#data = [];
    return event;
  }

  stray(): ServerEvent | undefined {
    const text = this.#stray.join('\n');
    return text.trim() === '' ? undefined : { event: '', data: text, stray: true };
  }
}

/** What the reader of a body is told while it is read. */
export interface BodyListener {
  /** A piece arrived, comments included. */
  onBytes(): void;
  /** The body is done with: it ended, failed or was given up. Called once. */
  onEnd(): void;
}

/**
 * Reads server-sent events from a response's body. Bytes may be cut anywhere, also inside a UTF-8 character. An event without its closing empty
 * line counts at the end of the body. What is no event comes last, once, as a stray one. Rejects where the body does. When the caller stops
 * early, one more piece is read so that a connection whose body just ended can be used again; whoever holds the request's signal ends a body
 * that goes on.
 */
export async function* readServerEvents(
  body: ReadableStream<Uint8Array>,
  listener: BodyListener,
): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const lines = new LineSplitter();
  const builder = new EventBuilder();
  let ended = false;
  try {
    for (;;) {
      const piece = await reader.read();
      ended = piece.done;
      listener.onBytes();
      const text = piece.done ? decoder.decode() : decoder.decode(piece.value, { stream: true });
      for (const line of lines.push(text)) {
        const event = builder.line(line);
        if (event) yield event;
      }
      if (piece.done) break;
    }
    const last = builder.line(lines.end()) ?? builder.flush();
    if (last) yield last;
    const stray = builder.stray();
    if (stray) yield stray;
  } catch (error) {
    ended = true;
    throw error;
  } finally {
    if (ended) listener.onEnd();
    else void endReading(reader).finally(() => listener.onEnd());
  }
}

async function endReading(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    const piece = await reader.read();
    if (!piece.done) await reader.cancel();
  } catch {
    // The request was ended from the other side, which is all that was wanted.
  }
}
