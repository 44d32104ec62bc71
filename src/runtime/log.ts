import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { ProgressBar } from './progress-bar.ts';
import { scrub } from './secret.ts';

export interface LogOptions {
  readonly level: string;
  /** For people at a terminal; JSON lines otherwise. */
  readonly pretty: boolean;
  readonly destination: NodeJS.WritableStream;
  /** Of the terminal, where there is one: it shows the lines that have a `progress` (0 to 1). */
  readonly bar?: ProgressBar;
}

/** No secret is written, wherever it turns up: in a URL, a message, a stack. */
export function createLog({ level, pretty: forPeople, destination, bar }: LogOptions): Logger {
  const out: DestinationStream = forPeople
    ? pretty({
        destination,
        colorize: true,
        ignore: 'pid,hostname',
        translateTime: 'SYS:HH:MM:ss',
        sync: true,
      })
    : { write: (line) => void destination.write(line) };
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, hooks: { streamWrite: scrub } },
    bar === undefined ? out : throughBar(out, bar),
  );
}

const throughBar = (out: DestinationStream, bar: ProgressBar): DestinationStream => ({
  write(line) {
    const { progress, msg } = JSON.parse(line);
    if (typeof progress === 'number') bar.show(String(msg), progress);
    // The end is worth a line of its own, the way to it is not.
    if (typeof progress !== 'number' || progress >= 1) bar.around(() => out.write(line));
  },
});
