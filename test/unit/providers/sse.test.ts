import { describe, expect, it } from 'vitest';
import { readServerEvents, type ServerEvent } from '../../../src/providers/sse.js';

const QUIET = { onBytes: () => undefined, onEnd: () => undefined };

async function readAll(pieces: Uint8Array[], listener = QUIET): Promise<ServerEvent[]> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  const events: ServerEvent[] = [];
  for await (const event of readServerEvents(body, listener)) events.push(event);
  return events;
}

const bytes = (text: string) => new TextEncoder().encode(text);

describe('readServerEvents', () => {
  const text = ': hello\n\nevent: a\r\ndata: {"x":"茶😀"}\r\n\r\ndata: one\ndata: two\n\nretry: 5\nid: 7\ndata:last';
  const events = [
    { event: 'a', data: '{"x":"茶😀"}' },
    { event: '', data: 'one\ntwo' },
    { event: '', data: 'last' },
  ];

  it('reads the same events wherever the bytes are cut in two', async () => {
    const whole = bytes(text);
    for (let cut = 0; cut <= whole.length; cut++) {
      expect(await readAll([whole.slice(0, cut), whole.slice(cut)])).toEqual(events);
    }
  });

  it('reads the same events byte by byte', async () => {
    expect(await readAll([...bytes(text)].map((byte) => Uint8Array.of(byte)))).toEqual(events);
  });

  it('takes lines that end in a bare carriage return', async () => {
    expect(await readAll([bytes('data: a\r\rdata: b\r\r')])).toEqual([
      { event: '', data: 'a' },
      { event: '', data: 'b' },
    ]);
  });

  it('gives what is no event as one stray event at the end', async () => {
    const page = '<html>\n<title>Sign in</title>\n</html>\n';
    expect(await readAll([bytes(page)])).toEqual([{ event: '', data: page.trimEnd(), stray: true }]);
  });

  it('tells of every piece, comments included, and of the end once', async () => {
    let pieces = 0;
    let ends = 0;
    await readAll([bytes(': ping\n\n'), bytes(': ping\n\n')], {
      onBytes: () => void pieces++,
      onEnd: () => void ends++,
    });
    expect(pieces).toBeGreaterThanOrEqual(2);
    expect(ends).toBe(1);
  });

  it('cancels a body that goes on after the caller stopped', async () => {
    let cancelled = false;
    let ended: () => void = () => undefined;
    const over = new Promise<void>((resolve) => (ended = resolve));
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(bytes('data: x\n\n')),
      cancel: () => {
        cancelled = true;
      },
    });
    for await (const event of readServerEvents(body, { onBytes: () => undefined, onEnd: ended })) {
      expect(event.data).toBe('x');
      break;
    }
    await over;
    expect(cancelled).toBe(true);
  });
});
