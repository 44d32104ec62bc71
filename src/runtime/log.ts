import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

export interface LogOptions {
  readonly level: string;
  /** For people at a terminal; JSON lines otherwise. */
  readonly pretty: boolean;
  /** Never written, wherever they turn up: in a URL, a message, a stack. */
  readonly secrets: readonly string[];
  readonly destination: NodeJS.WritableStream;
}

export function createLog({ level, pretty: forPeople, secrets, destination }: LogOptions): Logger {
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
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, hooks: { streamWrite: scrub(secrets) } },
    out,
  );
}

/** Replaces every secret, as it is and as JSON writes it. */
export const scrub = (secrets: readonly string[]): ((line: string) => string) => {
  const forms = [
    ...new Set(
      secrets.flatMap((value) => [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)]),
    ),
  ]
    .filter((form) => form.length >= 6)
    .sort((a, b) => b.length - a.length);
  return (line) => forms.reduce((text, form) => text.replaceAll(form, '[secret]'), line);
};
