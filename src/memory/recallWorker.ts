import { parentPort, workerData } from 'node:worker_threads';
import { nodeFiles } from '../platform/nodeFiles.js';
import { serveWorker } from '../platform/workerServer.js';
import type { RecallAnswer } from './recall.js';
import { RecallEngine, type EngineQuery } from './recall/engine.js';

let engine: RecallEngine | undefined;

/** The engine over the home that the worker was started for. */
function theEngine(): RecallEngine {
  return (engine ??= new RecallEngine({ files: nodeFiles(), home: (workerData as { home: string }).home }));
}

async function search(question: string, query: EngineQuery): Promise<RecallAnswer> {
  const hits = await theEngine().search(question, query);
  return { hits, warnings: theEngine().takeWarnings() };
}

async function save(): Promise<string[]> {
  await theEngine().save();
  return theEngine().takeWarnings();
}

serveWorker(parentPort, { search, save });
