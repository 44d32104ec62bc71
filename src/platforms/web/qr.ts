/**
 * QR codes of links (ISO/IEC 18004): byte mode, error correction level L, versions 1 to 10, always mask 0, which readers
 * accept as they do any other.
 */

/** Of each version: data codewords, codewords for error correction of a block, and the number of blocks (table 9, level L). */
const versions = [
  [19, 7, 1],
  [34, 10, 1],
  [55, 15, 1],
  [80, 20, 1],
  [108, 26, 1],
  [136, 18, 2],
  [156, 20, 2],
  [194, 24, 2],
  [232, 30, 2],
  [274, 18, 4],
] as const;

/** Products and quotients in GF(256) with the polynomial x⁸ + x⁴ + x³ + x² + 1. */
const powers = Array.from({ length: 255 }, () => 1);
for (let at = 1; at < 255; at += 1) {
  const doubled = (powers[at - 1] ?? 0) * 2;
  powers[at] = doubled > 255 ? doubled ^ 0x11d : doubled;
}
const logs = new Map(powers.map((power, at) => [power, at]));
const times = (a: number, b: number): number =>
  a === 0 || b === 0 ? 0 : (powers[((logs.get(a) ?? 0) + (logs.get(b) ?? 0)) % 255] ?? 0);

/** The remainder of the data by the generator polynomial of this degree (clause 7.5.2). */
export function correctionOf(data: readonly number[], degree: number): number[] {
  let generator = [1];
  for (let root = 0; root < degree; root += 1) {
    const factor = powers[root] ?? 1;
    generator = [...generator, 0].map((each, at) => each ^ times(generator[at - 1] ?? 0, factor));
  }
  const rest = [...data, ...Array.from({ length: degree }, () => 0)];
  for (const at of data.keys()) {
    const factor = rest[at] ?? 0;
    for (const [offset, each] of generator.entries())
      rest[at + offset] = (rest[at + offset] ?? 0) ^ times(each, factor);
  }
  return rest.slice(data.length);
}

/** The codewords of all blocks, interleaved (clause 7.6). */
function codewordsOf(bytes: Uint8Array, version: number): number[] {
  const [capacity, degree, blocks] = versions[version - 1] ?? [0, 0, 1];
  const bits = [
    ...bitsOf(0b0100, 4),
    ...bitsOf(bytes.length, version < 10 ? 8 : 16),
    ...[...bytes].flatMap((byte) => bitsOf(byte, 8)),
    ...bitsOf(0, 4),
  ].slice(0, capacity * 8);
  const data: number[] = [];
  for (let at = 0; at < bits.length; at += 8) data.push(numberOf(bits.slice(at, at + 8)));
  for (let pad = 0; data.length < capacity; pad += 1) data.push(pad % 2 === 0 ? 0xec : 0x11);
  // The last blocks are longer by one where they cannot all be of one length.
  const short = Math.floor(capacity / blocks);
  const shortBlocks = blocks - (capacity % blocks);
  const parts = Array.from({ length: blocks }, (_, block) => {
    const from = block * short + Math.max(0, block - shortBlocks);
    return data.slice(from, from + short + (block >= shortBlocks ? 1 : 0));
  });
  const corrections = parts.map((part) => correctionOf(part, degree));
  return [...interleaved(parts), ...interleaved(corrections)];
}

const bitsOf = (value: number, length: number): number[] =>
  Array.from({ length }, (_, at) => (value >> (length - 1 - at)) & 1);
const numberOf = (bits: readonly number[]): number =>
  Array.from({ length: 8 }, (_, at) => bits[at] ?? 0).reduce((sum, bit) => sum * 2 + bit, 0);
const interleaved = (parts: readonly (readonly number[])[]): number[] =>
  Array.from({ length: Math.max(...parts.map(({ length }) => length)) }, (_, at) =>
    parts.flatMap((part) => part[at] ?? []),
  ).flat();

/** Centres of the alignment patterns (annex E, versions 2 to 10). */
const alignmentOf = (version: number): number[] =>
  version === 1 ? [] : version < 7 ? [6, 4 * version + 10] : [6, 2 * version + 8, 4 * version + 10];

/** A bit string followed by the remainder by this polynomial: format and version information (annexes C and D). */
export function withRemainder(
  value: number,
  { by, length }: { readonly by: number; readonly length: number },
): number {
  let rest = value << length;
  for (let bit = 31 - Math.clz32(rest); bit >= length; bit = 31 - Math.clz32(rest))
    rest ^= by << (bit - length);
  return (value << length) | rest;
}

/** Returns the dark modules of a text, row by row. Undefined if the text is too long for version 10. */
export function qrOf(text: string): readonly (readonly boolean[])[] | undefined {
  const bytes = new TextEncoder().encode(text);
  const version = versions.findIndex(([capacity], at) => bytes.length + (at < 9 ? 2 : 3) <= capacity) + 1;
  if (version === 0) return undefined;
  const size = version * 4 + 17;
  const dark = Array.from({ length: size }, () => Array.from({ length: size }, () => false));
  const isFixed = dark.map((row) => row.map(() => false));
  const set = (x: number, y: number, value: boolean) => {
    const [row, fixedRow] = [dark[y], isFixed[y]];
    if (row === undefined || fixedRow === undefined || x < 0 || x >= size) return;
    row[x] = value;
    fixedRow[x] = true;
  };
  drawPatterns({ set, size, version });

  const bits = codewordsOf(bytes, version).flatMap((word) => bitsOf(word, 8));
  let next = 0;
  // Two columns at a time from the right, upwards and downwards in turn; the column of the timing pattern is left out.
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    const upwards = ((right + 1) & 2) === 0;
    for (let step = 0; step < size; step += 1) {
      const y = upwards ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        const row = dark[y];
        if (row === undefined || isFixed[y]?.[x] === true) continue;
        row[x] = (bits[next] === 1) !== ((x + y) % 2 === 0);
        next += 1;
      }
    }
  }
  return dark;
}

interface Drawing {
  readonly set: (x: number, y: number, dark: boolean) => void;
  readonly size: number;
  readonly version: number;
}

/** Draws what is the same for every text of this length (clause 6.3), and the format and version information. */
function drawPatterns({ set, size, version }: Drawing): void {
  for (let at = 0; at < size; at += 1) {
    set(6, at, at % 2 === 0);
    set(at, 6, at % 2 === 0);
  }
  for (const [cx, cy] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    for (let y = -4; y <= 4; y += 1)
      for (let x = -4; x <= 4; x += 1) {
        const distance = Math.max(Math.abs(x), Math.abs(y));
        if (cy + y >= 0 && cy + y < size) set(cx + x, cy + y, distance !== 2 && distance !== 4);
      }
  const centres = alignmentOf(version);
  const last = centres.at(-1);
  for (const cy of centres)
    for (const cx of centres) {
      const isFinder = (cx === 6 && cy === 6) || (cx === 6 && cy === last) || (cx === last && cy === 6);
      if (isFinder) continue;
      for (let y = -2; y <= 2; y += 1)
        for (let x = -2; x <= 2; x += 1) set(cx + x, cy + y, Math.max(Math.abs(x), Math.abs(y)) !== 1);
    }
  // Level L is 01, mask 0 is 000.
  const format = withRemainder(0b01000, { by: 0x537, length: 10 }) ^ 0x5412;
  for (let bit = 0; bit < 15; bit += 1) {
    const value = ((format >> bit) & 1) === 1;
    const near = bit < 6 ? bit : bit < 8 ? bit + 1 : size - 15 + bit;
    set(8, near, value);
    const far = bit < 8 ? size - 1 - bit : bit === 8 ? 7 : 14 - bit;
    set(far, 8, value);
  }
  set(8, size - 8, true);
  if (version < 7) return;
  const information = withRemainder(version, { by: 0x1f25, length: 12 });
  for (let bit = 0; bit < 18; bit += 1) {
    const value = ((information >> bit) & 1) === 1;
    const [long, short] = [size - 11 + (bit % 3), Math.floor(bit / 3)];
    set(long, short, value);
    set(short, long, value);
  }
}

/** Width of the light border that readers need, in modules. */
const quiet = 4;

/** Returns the code as a path of SVG and the size of its picture. Undefined if the text is too long. */
export function qrPath(text: string): { readonly size: number; readonly path: string } | undefined {
  const rows = qrOf(text);
  if (rows === undefined) return undefined;
  const path = rows
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + quiet} ${y + quiet}h1v1h-1z` : '')))
    .join('');
  return { size: rows.length + 2 * quiet, path };
}
