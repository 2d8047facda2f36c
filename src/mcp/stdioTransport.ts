import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Clock, Program } from '../platform/ports.js';
import { LineReader, type LongLine } from './lineReader.js';

/** Bytes of one message; parsing a larger one would hold the host's thread. */
export const MAX_MESSAGE = 4 * 1024 * 1024;
/** Milliseconds a server is given to end once its input has ended, and then to obey SIGTERM. */
const END_MS = 300;
const TERM_MS = 700;

/** A server that is a program, spoken to over its input and output. It and all it started end with `close`. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private closed = false;

  constructor(
    private readonly program: Program,
    private readonly clock: Clock,
    /** What the server says on standard error, and what is no message on its standard output, line by line. */
    private readonly heard: (line: string) => void,
  ) {}

  start(): Promise<void> {
    const output = new LineReader({
      maxBytes: MAX_MESSAGE,
      line: (line) => {
        this.take(line);
      },
      tooLong: (line) => {
        this.refuse(line);
      },
    });
    const errors = new LineReader({
      maxBytes: 64 * 1024,
      line: this.heard,
      tooLong: ({ head }) => {
        this.heard(`${head}…`);
      },
    });
    this.program.onOutput((bytes) => {
      output.push(bytes);
    });
    this.program.onErrors((bytes) => {
      errors.push(bytes);
    });
    void this.program.exited.then(({ code, signal }) => {
      if (!this.closed) this.heard(`ended by itself (${signal ?? `exit status ${String(code)}`})`);
      this.end();
    });
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.closed) return Promise.reject(new Error('The server has ended.'));
    this.program.write(`${JSON.stringify(message)}\n`);
    return Promise.resolve();
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.program.endInput();
    const waiting = new AbortController();
    await Promise.race([this.program.exited, this.clock.sleep(END_MS, waiting.signal).catch(() => undefined)]);
    waiting.abort();
    await this.program.kill(TERM_MS);
    this.onclose?.();
  }

  private end(): void {
    if (this.closed) return;
    this.closed = true;
    // What it started may still run.
    void this.program.kill(TERM_MS);
    this.onclose?.();
  }

  private take(line: string): void {
    if (line.trim() === '') return;
    const message = parsed(line);
    if (message) this.onmessage?.(message);
    else this.heard(`[standard output] ${line.slice(0, 500)}`);
  }

  /** The call that waits for this answer is told at once; the connection goes on. */
  private refuse({ head, tail, bytes }: LongLine): void {
    const size = `${(bytes / 1024 / 1024).toFixed(1)} MB`;
    this.heard(`a message of ${size} was refused`);
    const id = /^\{(?:"jsonrpc":"2\.0",)?"id":(\d+)/.exec(head) ?? /"id":(\d+)(?:,"jsonrpc":"2\.0")?\}\s*$/.exec(tail);
    if (!id) return;
    const words = `The answer was ${size}; at most ${String(MAX_MESSAGE / 1024 / 1024)} MB are taken. Ask for less at a time.`;
    this.onmessage?.({ jsonrpc: '2.0', id: Number(id[1]), error: { code: -32_000, message: words } });
  }
}

function parsed(line: string): JSONRPCMessage | undefined {
  try {
    const value = JSON.parse(line) as unknown;
    const isMessage = typeof value === 'object' && value !== null && 'jsonrpc' in value;
    return isMessage ? (value as JSONRPCMessage) : undefined;
  } catch {
    return undefined;
  }
}
