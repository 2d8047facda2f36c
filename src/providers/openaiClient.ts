import { OpenAI } from 'openai/client';

type Options = ConstructorParameters<typeof OpenAI>[0];

/** The SDK's client by its own entry: what the package offers for other clouds need not be in the bundle. Every API is asked by its path. */
export function createClient(options: Options): OpenAI {
  return new OpenAI(options);
}
