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
  const bytes = await bytesOf(file, signal);
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

const bytesOf = (file: AttachedFile, signal: AbortSignal): Promise<Uint8Array> =>
  file.read(signal).catch((cause) => {
    throw new UserError(msg('The file could not be fetched: send it again.'), { cause });
  });

/** How the images begin that every platform's apps show. What a file is called says nothing. */
const beginnings: readonly (readonly [type: string, bytes: Buffer])[] = [
  ['png', Buffer.from('89504e470d0a1a0a', 'hex')],
  ['jpeg', Buffer.from('ffd8ff', 'hex')],
  ['gif', Buffer.from('GIF8')],
];

/** Reads an image, as a data URI. Throws UserError. */
export async function imageOf(file: AttachedFile, signal: AbortSignal): Promise<string> {
  if (file.size > maxFileSize)
    throw new UserError(
      msg('The picture has {size, number} kB, and may have {most, number}.', {
        size: Math.ceil(file.size / 1_000),
        most: maxFileSize / 1_000,
      }),
    );
  const bytes = Buffer.from(await bytesOf(file, signal));
  const type = beginnings.find(([, first]) => bytes.subarray(0, first.length).equals(first))?.[0];
  if (type === undefined) throw new UserError(msg('The file is no picture: send a PNG, JPEG or GIF.'));
  return `data:image/${type};base64,${bytes.toString('base64')}`;
}
