import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** An MCP server over HTTP that wants a sign-in, and the service that gives it, both by hand on 127.0.0.1. */
export interface SignInServer {
  url: string;
  /** Grants that were asked for at the token endpoint. */
  grants: string[];
  /** What a browser does with the address it is given: the person says yes, or no. */
  browse(address: string, answer?: 'yes' | 'no'): Promise<void>;
  /** Makes every token so far worthless; a refresh gives a new one. */
  expire(): void;
}

/** Starts one; it ends with the test. `page` is where it wants the person to sign in. */
export async function startSignInServer(page?: string): Promise<SignInServer> {
  let good = 'token-1';
  let issued = 1;
  const grants: string[] = [];
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const metadata = {
    issuer: origin,
    authorization_endpoint: page ?? `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request);
    const { pathname } = new URL(request.url ?? '/', origin);
    if (pathname === '/mcp') return answerMcp(request, response, body);
    if (pathname === '/where')
      return json(response, 200, { resource: `${origin}/mcp`, authorization_servers: [origin] });
    if (pathname === '/.well-known/oauth-authorization-server') return json(response, 200, metadata);
    if (pathname === '/register')
      return json(response, 201, { ...(JSON.parse(body) as object), client_id: 'nanobot-1' });
    if (pathname === '/token') {
      grants.push(new URLSearchParams(body).get('grant_type') ?? '');
      good = `token-${String(++issued)}`;
      return json(response, 200, {
        access_token: good,
        token_type: 'Bearer',
        expires_in: 3600,
        refresh_token: 'again',
      });
    }
    json(response, 404, {});
  }

  function answerMcp(request: IncomingMessage, response: ServerResponse, body: string): void {
    if (request.headers.authorization !== `Bearer ${good}`) {
      response.setHeader('www-authenticate', `Bearer resource_metadata="${origin}/where"`);
      return json(response, 401, {});
    }
    if (request.method !== 'POST') return json(response, 405, {});
    const { id, method } = JSON.parse(body) as { id?: number; method: string };
    if (id === undefined) return void response.writeHead(202).end();
    const results: Record<string, object> = {
      initialize: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'far', version: '1' },
      },
      'tools/list': { tools: [{ name: 'whoami', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: 'you are Ada' }] },
    };
    json(response, 200, { jsonrpc: '2.0', id, result: results[method] ?? {} });
  }

  return {
    url: `${origin}/mcp`,
    grants,
    expire: () => void (good = 'none'),
    browse: async (address, answer = 'yes') => {
      const asked = new URL(address).searchParams;
      const back = new URL(asked.get('redirect_uri') ?? '');
      back.searchParams.set('state', asked.get('state') ?? '');
      if (answer === 'yes') back.searchParams.set('code', 'one-time');
      else back.searchParams.set('error', 'access_denied');
      await fetch(back);
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
