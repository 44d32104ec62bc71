import { UserError } from '../language/errors.ts';
import { msg, typed } from '../language/text.ts';
import { decodeText } from '../runtime/decode-text.ts';

/** A file that comes with a request and has not been read yet. */
export interface AttachedFile {
  /** Size in bytes, as the platform reports it. */
  readonly size: number;
  /** Reads the file's bytes, `maxFileSize` at most. May throw any error. */
  read(signal: AbortSignal): Promise<Uint8Array>;
}

/** The largest file that is read, bytes. The largest possible export of a place is less than half as large. */
export const maxFileSize = 1_000_000;

/** Reads the file's text. Throws UserError. */
export async function textOf(file: AttachedFile, signal: AbortSignal): Promise<string> {
  if (file.size > maxFileSize) {
    throw new UserError(
      msg('The file has {size, number} kB, and an export at most {most, number}: is it the right one?', {
        size: Math.ceil(file.size / 1_000),
        most: maxFileSize / 1_000,
      }),
    );
  }
  const bytes = await file.read(signal).catch((cause) => {
    throw new UserError(msg('The file could not be fetched: send it again.'), { cause });
  });
  const decoded = decodeText(bytes);
  if ('text' in decoded) return decoded.text;
  throw new UserError(
    msg(
      'The file is not text in UTF-8 (line {line}): save it as UTF-8, or send the one that "{export}" gave.',
      {
        line: String(decoded.line),
        export: typed('export'),
      },
    ),
  );
}
