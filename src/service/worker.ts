/** The entry point of the embedded data service's thread, which embedded.ts starts. */
import { parentPort, workerData } from 'node:worker_threads';
import { pino } from 'pino';
import { ConfigError } from '../runtime/errors.ts';
import { Secret } from '../runtime/secret.ts';
import type { WorkerMessage, WorkerOptions } from './embedded.ts';
import { startService } from './service.ts';

const { apiKey, level, ...options } = workerData as WorkerOptions;
const post = (message: WorkerMessage) => parentPort?.postMessage(message);
const log = pino({ level }, { write: (line: string) => post({ type: 'log', line }) });

try {
  const service = await startService({ ...options, apiKey: new Secret(apiKey), log });
  parentPort?.once('message', async () => {
    await service.close();
    parentPort?.close();
  });
  post({ type: 'started', url: service.url });
  void service.ready.then(() => post({ type: 'ready' }));
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  post({ type: 'refused', problems: error.problems });
  parentPort?.close();
}
