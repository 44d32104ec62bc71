/** The entry point of the embedded data service's thread, which embedded.ts starts. */
import { parentPort } from 'node:worker_threads';
import { pino } from 'pino';
import { ConfigError } from '../../runtime/errors.ts';
import { Secret } from '../../runtime/secret.ts';
import { type ToWorker, turnEvery, type WorkerMessage, type WorkerOptions } from './embedded.ts';
import { startService } from './service.ts';

const given = Promise.withResolvers<WorkerOptions>();
const closing = Promise.withResolvers<void>();
const post = (message: WorkerMessage) => parentPort?.postMessage(message);
const log = pino({}, { write: (line: string) => post({ type: 'log', line }) });
parentPort?.on('message', (message: ToWorker) => {
  if (message === 'close') return closing.resolve();
  log.level = message.level;
  if ('apiKey' in message) given.resolve(message);
});

setInterval(() => post({ type: 'turned' }), turnEvery).unref();

const { apiKey, level: _level, ...options } = await given.promise;

try {
  const service = await startService({ ...options, apiKey: new Secret(apiKey), log });
  post({ type: 'started', url: service.url });
  void service.ready.then(() => post({ type: 'ready' }));
  await closing.promise;
  await service.close();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  const { problems, mayPass } = error;
  post({ type: 'refused', problems, mayPass });
}
parentPort?.close();
