import { OpenAI } from 'openai/client';

type Options = NonNullable<ConstructorParameters<typeof OpenAI>[0]>;

/** The SDK's client by its own entry: what the package offers for other clouds need not be in the bundle. Every API is asked by its path. */
export function createClient(options: Options): OpenAI {
  const client = new OpenAI(options);
  // It puts headers from OPENAI_CUSTOM_HEADERS before ours, and no option keeps it from that: they would go to whichever provider this is.
  const kept = client as unknown as { _options: Options };
  kept._options = { ...kept._options, defaultHeaders: options.defaultHeaders };
  return client;
}
