/** The entry point of the embedded data service's thread, which embedded.ts starts. */
import { pino } from 'pino';
import { Secret } from '../../runtime/secret.ts';
import { offerToParent } from '../../runtime/thread.ts';
import { type ServiceParent, turnEvery, type WorkerOptions } from './embedded.ts';
import { startService } from './service.ts';

let starting: ReturnType<typeof startService> | undefined;

const offered = {
  /** Starts the service, and returns its URL. @throws ConfigError as startService */
  async start({ apiKey, level, ...options }: WorkerOptions): Promise<string> {
    log.level = level;
    starting = startService({ ...options, apiKey: new Secret(apiKey), log });
    const service = await starting;
    void service.ready.then(() => parent.ready());
    return service.url;
  },
  setLevel(level: string): void {
    log.level = level;
  },
  async close(): Promise<void> {
    await (await starting)?.close();
  },
};
export type EmbeddedService = typeof offered;

const parent = offerToParent<ServiceParent>(offered);
const log = pino({}, { write: (line: string) => void parent.log(line) });
setInterval(() => void parent.turned(), turnEvery).unref();
