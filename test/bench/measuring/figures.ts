/** One measured figure, and what it must keep to. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Absent: measured for information. */
  readonly bound?: { readonly most: number } | { readonly least: number };
}

const kept = ({ value, bound }: Figure): boolean =>
  bound === undefined || ('most' in bound ? value <= bound.most : value >= bound.least);

/** Prints the figures beside their bounds; a miss makes the process end with 1. */
export function report(title: string, figures: readonly Figure[]): void {
  const rows = figures.map((figure) => [
    figure.name,
    `${written(figure.value)} ${figure.unit}`,
    figure.bound === undefined ? '' : `${limit(figure.bound)} ${figure.unit}`,
    figure.bound === undefined ? '' : kept(figure) ? 'ok' : 'MISSED',
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) =>
        i === 0 ? cell.padEnd(widths[0] ?? 0) : i < 3 ? cell.padStart(widths[i] ?? 0) : cell,
      )
      .join('  ');
  console.log([`\n${title}`, ...rows.map(line)].join('\n').replaceAll(/ +$/gm, ''));
  if (!figures.every(kept)) process.exitCode = 1;
}

const written = (value: number): string =>
  value.toLocaleString('en-US', {
    maximumFractionDigits: Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0,
  });

const limit = (bound: NonNullable<Figure['bound']>): string =>
  'most' in bound ? `≤ ${written(bound.most)}` : `≥ ${written(bound.least)}`;

/** The value below which `share` of them lie; the largest for 1. NaN where there is none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
