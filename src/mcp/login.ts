import { t } from '@vscode/l10n';
import { unlessAborted } from '../platform/abort.js';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import type { Callback, Log, Secrets } from '../platform/ports.js';
import type { Sdk } from './sdk.js';

/** What a sign-in leaves in the key store. */
interface Kept {
  /** The server's address: what was kept for another is not used. */
  url: string;
  client?: OAuthClientInformationMixed;
  tokens?: OAuthTokens;
}

/** The person's browser, where there is one. */
export interface SignInPort {
  open(url: string): Promise<void>;
  listen(): Promise<Callback>;
}

export interface LoginDeps {
  secrets: Secrets;
  log: Log;
  newId(): string;
}

/** The tokens of one server as they were kept, renewed by themselves; undefined where nobody has signed in. Never opens a browser. */
export async function keptLogin(name: string, url: string, deps: LoginDeps): Promise<OAuthClientProvider | undefined> {
  const kept = await readKept(name, url, deps.secrets);
  return kept.tokens ? new Login(name, kept, deps) : undefined;
}

/**
 * Lets the person sign in to a server with their browser and keeps what comes of it. Rejects in plain words when it is refused, or with the signal's reason when
 * it takes too long.
 */
export async function signIn(
  name: string,
  url: string,
  sdk: Sdk,
  deps: LoginDeps & { browser: SignInPort },
  signal: AbortSignal,
): Promise<void> {
  const callback = await deps.browser.listen();
  try {
    const login = new Login(name, { url }, deps, { callback, open: (address) => deps.browser.open(address) });
    const where = { serverUrl: url, ...(await wanted(sdk, url, signal)) };
    if ((await sdk.auth(login, where)) === 'AUTHORIZED') return;
    const answer = await unlessAborted(callback.answer, signal);
    const code = answer.get('code');
    if (answer.get('state') !== login.state())
      throw new Error(t('The browser came back with an answer to another question. Try it again.'));
    if (code === null)
      throw new Error(
        t('It was refused: {0}.', answer.get('error_description') ?? answer.get('error') ?? t('no reason was given')),
      );
    await sdk.auth(login, { ...where, authorizationCode: code });
  } finally {
    callback.close();
  }
}

/** What the server says about where and for what to sign in, when it is asked without. */
async function wanted(
  sdk: Sdk,
  url: string,
  signal: AbortSignal,
): Promise<{ resourceMetadataUrl?: URL; scope?: string }> {
  const response = await fetch(url, { headers: { accept: 'text/event-stream' }, signal });
  await response.body?.cancel();
  if (response.status !== 401) return {};
  const { resourceMetadataUrl, scope } = sdk.extractWWWAuthenticateParams(response);
  return { ...(resourceMetadataUrl ? { resourceMetadataUrl } : {}), ...(scope ? { scope } : {}) };
}

/** One server's sign-in as the protocol's package wants to see it. Without a `session` it never leads anywhere but to an error. */
class Login implements OAuthClientProvider {
  private readonly stateText: string;
  private verifier = '';

  constructor(
    private readonly name: string,
    private readonly kept: Kept,
    private readonly deps: LoginDeps,
    private readonly session?: { callback: Callback; open(url: string): Promise<void> },
  ) {
    this.stateText = deps.newId();
  }

  get redirectUrl(): string {
    return this.session?.callback.url ?? 'http://127.0.0.1/callback';
  }

  get clientMetadata() {
    return {
      client_name: 'Nanobot',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }

  state(): string {
    return this.stateText;
  }

  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.kept.client;
  }

  async saveClientInformation(client: OAuthClientInformationMixed): Promise<void> {
    this.kept.client = client;
    await this.save();
  }

  tokens(): OAuthTokens | undefined {
    return this.kept.tokens;
  }

  async saveTokens(tokens: OAuthTokens): Promise<void> {
    this.kept.tokens = tokens;
    await this.save();
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    if (!this.session) return;
    if (!isPage(url)) {
      const shown = url.href.slice(0, 200);
      this.deps.log.warn(`The MCP server ${this.name} wanted the browser to open ${shown} for its sign-in: refused.`);
      throw new Error(
        t('It names {0} as the page to sign in at, and only https:// is opened. Tell who runs it.', shown),
      );
    }
    await this.session.open(url.href);
  }

  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier;
  }

  codeVerifier(): string {
    return this.verifier;
  }

  async invalidateCredentials(scope: string): Promise<void> {
    if (scope === 'all' || scope === 'client') delete this.kept.client;
    if (scope === 'all' || scope === 'tokens') delete this.kept.tokens;
    await this.save();
  }

  private async save(): Promise<void> {
    // A client without tokens is of no use to a later sign-in, which registers one of its own.
    if (this.kept.tokens) await this.deps.secrets.set(secretName(this.name), JSON.stringify(this.kept));
    else await this.deps.secrets.delete(secretName(this.name));
  }
}

/** Whether an address is safe to hand to the system: other schemes start programs, and plain HTTP shows the sign-in to the network. */
function isPage({ protocol, hostname }: URL): boolean {
  if (protocol === 'https:') return true;
  return protocol === 'http:' && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

async function readKept(name: string, url: string, secrets: Secrets): Promise<Kept> {
  try {
    const kept = JSON.parse((await secrets.get(secretName(name))) ?? '{}') as Partial<Kept>;
    return kept.url === url ? { ...kept, url } : { url };
  } catch {
    return { url };
  }
}

function secretName(server: string): string {
  return `nanobot.mcp.${server}`;
}
