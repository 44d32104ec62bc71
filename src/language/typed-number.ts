const multipliers: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, b: 1e9 };

/** Parses a number as people type it: `100k`, `2.5`, `-3`, `1,000`, `5M`; undefined if the text is not a number. */
export function readNumber(text: string): number | undefined {
  const [, digits, size = ''] =
    /^([+-]?\d+(?:\.\d+)?)([kKmMbB]?)%?$/.exec(
      text.trim().replaceAll(',', '').replace('$', '').replace('−', '-'),
    ) ?? [];
  return digits === undefined ? undefined : Number(digits) * (multipliers[size.toLowerCase()] ?? 1);
}
