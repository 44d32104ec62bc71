import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { ProgressBar } from './progress-bar.ts';
import { scrub } from './secret.ts';

interface LogOptions {
  readonly level: string;
  /** True: lines for people at a terminal; false: JSON lines. */
  readonly pretty: boolean;
  /** Whether lines for people have colours. Default: true. */
  readonly color?: boolean;
  readonly destination: NodeJS.WritableStream;
  /** The terminal's progress bar, if there is one. It shows the lines that have a `progress` (0 to 1). */
  readonly bar?: ProgressBar;
}

/** Creates the log. Secrets are removed from every line, wherever they occur: in a URL, a message, a stack. */
export function createLog({ level, pretty: forPeople, color = true, destination, bar }: LogOptions): Logger {
  const out: DestinationStream = forPeople
    ? pretty({
        destination,
        colorize: color,
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
    // Only the last line of a progress is also written to the log; the others appear in the bar alone.
    if (typeof progress !== 'number' || progress >= 1) bar.around(() => out.write(line));
  },
});
