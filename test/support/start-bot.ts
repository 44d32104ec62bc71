import { Writable } from 'node:stream';
import { pino } from 'pino';
import { type Bot, type BotOptions, startBot as startWith } from '#src/app/bot.ts';
import { prepareDataService } from '#src/app/data-service.ts';
import { wallClock } from '#src/runtime/clock.ts';
import type { ConfigError } from '#src/runtime/errors.ts';
import { createLog } from '#src/runtime/log.ts';
import { commands } from './commands.ts';

interface Started extends Partial<Omit<BotOptions, 'service' | 'config'>> {
  readonly config: BotOptions['config'];
  /** Gets all that the bot prints and logs. Left out: it logs nothing. */
  readonly written?: string[];
}

/** Logs everything, each line as one text. */
const logInto = (written: string[]) =>
  createLog({
    level: 'trace',
    pretty: false,
    destination: new Writable({
      write(chunk, _encoding, done) {
        written.push(String(chunk));
        done();
      },
    }),
  });

/**
 * Starts the bot with its data service, as `npm start` does: with a hosted one, no thread is opened.
 * @throws ConfigError
 */
export async function startBot({ written, ...options }: Started): Promise<Bot> {
  const { url } = options.config.data;
  const startDataService = prepareDataService(url === null ? {} : { TOCSIN_API_URL: url });
  const log = written === undefined ? pino({ level: 'silent' }) : logInto(written);
  const given = {
    commands,
    terminal: {
      ...{ columns: 100, color: false, timeZone: 'UTC' },
      write: async (text: string) => void written?.push(text),
    },
    wall: wallClock,
    random: () => 0,
    log,
    failed: (error: ConfigError) => {
      throw error;
    },
    ...options,
  };
  return startWith({ ...given, service: await startDataService(given.config, given.log) });
}
