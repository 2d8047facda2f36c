import { BaseAnthropic } from '@anthropic-ai/sdk/client';

type Options = ConstructorParameters<typeof BaseAnthropic>[0];

/** The SDK's client without its resources: the Messages API is asked by its path, and the bundle need not hold the rest. */
export function createClient(options: Options): BaseAnthropic {
  return new BaseAnthropic(options);
}
