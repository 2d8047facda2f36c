import { parentPort } from 'node:worker_threads';
import { serveWorker } from '../platform/workerServer.js';
import { Tokenizer } from './tokenizer.js';

let loading: Promise<Tokenizer> | undefined;

/** The tokenizer with the ranks of cl100k_base, which lie in a file of their own. */
async function load(): Promise<Tokenizer> {
  const { default: ranks } = await import('js-tiktoken/ranks/cl100k_base');
  return new Tokenizer(ranks);
}

/** The tokens of each text. */
async function count(texts: string[]): Promise<number[]> {
  const tokenizer = await (loading ??= load());
  return texts.map((text) => tokenizer.count(text));
}

serveWorker(parentPort, { count });
