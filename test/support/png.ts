import { crc32, inflateSync } from 'node:zlib';

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** Samples per pixel by colour type (PNG specification, "Colour types"). */
const samples: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** Decodes a PNG completely, as a viewer would. @throws Error if the bytes are no PNG, cut short or damaged */
export function readPng(bytes: Uint8Array): { readonly width: number; readonly height: number } {
  const png = Buffer.from(bytes);
  if (!png.subarray(0, 8).equals(signature)) throw new Error('no PNG');
  const pixels: Buffer[] = [];
  let header: Buffer | undefined;
  let type = '';
  for (let at = 8; type !== 'IEND'; ) {
    const length = png.readUInt32BE(at);
    const chunk = png.subarray(at + 4, at + 8 + length);
    type = chunk.toString('latin1', 0, 4);
    if (crc32(chunk) !== png.readUInt32BE(at + 8 + length)) throw new Error(`a damaged ${type}`);
    if (type === 'IHDR') header = chunk.subarray(4);
    if (type === 'IDAT') pixels.push(chunk.subarray(4));
    at += 12 + length;
  }
  if (header === undefined) throw new Error('no IHDR');
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const bits = header.readUInt8(8) * (samples[header.readUInt8(9)] ?? 0);
  const rows = inflateSync(Buffer.concat(pixels)).length;
  // Each row begins with a byte that names its filter.
  if (rows !== height * (1 + Math.ceil((width * bits) / 8))) throw new Error('pixels are missing');
  return { width, height };
}
