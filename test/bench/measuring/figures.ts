/** One measured figure, and what it must keep to. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Absent: measured for information. */
  readonly bound?: { readonly most: number } | { readonly least: number };
  /** What something else came to in the same run, by which this is judged. */
  readonly baseline?: { readonly name: string; readonly value: number };
}

/** Figures that belong together, as a bench gives them. */
export interface Report {
  readonly title: string;
  readonly figures: readonly Figure[];
}

let reports: Report[] = [];

/** What was reported since this was asked last. */
export function takeReports(): readonly Report[] {
  const taken = reports;
  reports = [];
  return taken;
}

export const isKept = ({ value, bound }: Figure): boolean =>
  bound === undefined || ('most' in bound ? value <= bound.most : value >= bound.least);

/** Prints the figures beside their bounds; a miss makes the process end with 1. */
export function report(title: string, figures: readonly Figure[]): void {
  reports.push({ title, figures });
  const rows = figures.map((figure) => [
    figure.name,
    `${valueText(figure.value)} ${figure.unit}`,
    figure.bound === undefined ? '' : `${limitText(figure.bound)} ${figure.unit}`,
    figure.bound === undefined ? '' : isKept(figure) ? 'ok    ' : 'MISSED',
    baselineText(figure),
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) =>
        i === 0 ? cell.padEnd(widths[0] ?? 0) : i < 3 ? cell.padStart(widths[i] ?? 0) : cell,
      )
      .join('  ');
  console.log([`\n${title}`, ...rows.map(line)].join('\n').replaceAll(/ +$/gm, ''));
  if (!figures.every(isKept)) process.exitCode = 1;
}

export const valueText = (value: number): string =>
  value.toLocaleString('en-US', {
    maximumFractionDigits: Math.abs(value) < 1 ? 3 : Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0,
  });

/** The share of what was measured beside it; empty where nothing was. */
export const baselineText = ({ value, baseline }: Figure): string =>
  baseline === undefined ? '' : `${valueText((100 * value) / baseline.value)} % of ${baseline.name}`;

export const limitText = (bound: NonNullable<Figure['bound']>): string =>
  'most' in bound ? `≤ ${valueText(bound.most)}` : `≥ ${valueText(bound.least)}`;

/** The value below which `share` of them lie; the largest for 1. NaN where there is none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
