import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import { scrub } from './secret.ts';

export interface LogOptions {
  readonly level: string;
  /** For people at a terminal; JSON lines otherwise. */
  readonly pretty: boolean;
  readonly destination: NodeJS.WritableStream;
}

/** No secret is written, wherever it turns up: in a URL, a message, a stack. */
export function createLog({ level, pretty: forPeople, destination }: LogOptions): Logger {
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
    out,
  );
}
