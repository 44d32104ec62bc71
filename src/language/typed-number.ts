const multipliers: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, b: 1e9 };

/** Commas that group thousands, as in `1,250` and `1,250,000.5`. */
const grouped = /^[+-]?[1-9]\d{0,2}(?:,\d{3})+(?![\d,])/;

/**
 * Parses a number as people type it: `100k`, `2.5`, `-3`, `1,000`, `5M`, and `2,5` as it is written in Spanish; undefined if
 * the text is not a number.
 */
export function readNumber(text: string): number | undefined {
  const typed = text.trim().replace('$', '').replace('−', '-');
  // Only one comma is a decimal comma, and none beside a point: "1.250,5" is no number here rather than another one.
  const plain = grouped.test(typed)
    ? typed.replaceAll(',', '')
    : typed.replace(/^([^.,]*),([^.,]*)$/, '$1.$2');
  const [, digits, size = ''] = /^([+-]?\d+(?:\.\d+)?)([kKmMbB]?)%?$/.exec(plain) ?? [];
  return digits === undefined ? undefined : Number(digits) * (multipliers[size.toLowerCase()] ?? 1);
}
