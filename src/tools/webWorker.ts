import { parentPort } from 'node:worker_threads';
import { serveWorker } from '../platform/workerServer.js';
import { duckDuckGoHits } from './support/web/duckDuckGo.js';
import { pdfText } from './support/web/pdfText.js';
import { plain, readable } from './support/web/readable.js';

serveWorker(parentPort, { readable, plain, pdfText, duckDuckGoHits });
