import { UserError } from '../language/errors.ts';
import { msg } from '../language/text.ts';

/** A file that comes with a request, before anybody has looked into it. */
export interface AttachedFile {
  /** Bytes, as its platform says. */
  readonly size: number;
  /** Its bytes, `largestFile` at most. Throws anything. */
  read(signal: AbortSignal): Promise<Uint8Array>;
}

/** Bytes. The export of a place that has all it may have is smaller than half of it. */
export const largestFile = 1_000_000;

/** What is written in it. Throws UserError. */
export async function textOf(file: AttachedFile, signal: AbortSignal): Promise<string> {
  if (file.size > largestFile) {
    throw new UserError(
      msg('The file has {size, number} kB, and an export at most {most, number}: is it the right one?', {
        size: Math.ceil(file.size / 1_000),
        most: largestFile / 1_000,
      }),
    );
  }
  const bytes = await file.read(signal).catch((cause) => {
    throw new UserError(msg('The file could not be fetched: send it again.'), { cause });
  });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new UserError(msg('The file is not text: send the one that "export" gave.'), { cause });
  }
}
