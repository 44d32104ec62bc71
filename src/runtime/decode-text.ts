import { isUtf8 } from 'node:buffer';

/** A text, or the line, from 1, at which the bytes are not text in UTF-8. */
type Decoded = { readonly text: string } | { readonly line: number };

/** The first bytes by which files of UTF-16 say so. Node.js decodes that of little-endian by itself. */
const utf16 = [
  { mark: [0xff, 0xfe], encoding: 'utf-16le' },
  { mark: [0xfe, 0xff], encoding: 'utf-16be' },
] as const;

/**
 * Decodes a file of people. UTF-8 is read with or without a byte order mark, and UTF-16 with one, as editors of Windows write
 * it. Of other encodings nothing is guessed.
 */
export function decodeText(bytes: Uint8Array): Decoded {
  const marked = utf16.find(({ mark }) => mark.every((byte, at) => bytes[at] === byte));
  if (marked !== undefined) {
    try {
      return { text: new TextDecoder(marked.encoding, { fatal: true }).decode(bytes) };
    } catch {
      return { line: 1 };
    }
  }
  const lines = linesOf(bytes);
  // UTF-16 without a mark is UTF-8 with a NUL in every other byte.
  const wrong = lines.findIndex((line) => !isUtf8(line) || line.includes(0));
  return wrong < 0 ? { text: new TextDecoder().decode(bytes) } : { line: wrong + 1 };
}

function linesOf(bytes: Uint8Array): Uint8Array[] {
  if (isUtf8(bytes) && !bytes.includes(0)) return [bytes];
  const lines: Uint8Array[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(0x0a, from);
    const to = end < 0 ? bytes.length : end + 1;
    lines.push(bytes.subarray(from, to));
    from = to;
  }
  return lines;
}
