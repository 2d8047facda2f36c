import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Callback } from './ports.js';

const PAGE =
  '<!doctype html><meta charset="utf-8"><title>Nanobot</title><p>Done. You can close this page and go back to your editor.</p>';

/** Listens on this machine alone, at an address of its own, for a browser to come back with the answer of a sign-in. */
export async function listenForCallback(): Promise<Callback> {
  let answered: (parameters: URLSearchParams) => void = () => undefined;
  const answer = new Promise<URLSearchParams>((resolve) => {
    answered = resolve;
  });
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const isOurs = pathname === '/callback';
    response
      .writeHead(isOurs ? 200 : 404, { 'content-type': 'text/html', connection: 'close' })
      .end(isOurs ? PAGE : '');
    if (isOurs) answered(searchParams);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}/callback`,
    answer,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
