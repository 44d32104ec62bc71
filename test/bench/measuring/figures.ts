/** One measured figure with its bound. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Absent: the figure is only for information. */
  readonly bound?: { readonly most: number } | { readonly least: number };
  /** Another result of the same run, which the figure is compared with. */
  readonly baseline?: { readonly name: string; readonly value: number };
}

/** What must not happen once. */
export const none = (name: string, value: number, unit = ''): Figure => ({
  name,
  value,
  unit,
  bound: { most: 0 },
});

/** Figures that belong together, as a bench reports them. */
export interface Report {
  readonly title: string;
  readonly figures: readonly Figure[];
}

let reports: Report[] = [];

/** Returns the reports since the last call. */
export function takeReports(): readonly Report[] {
  const taken = reports;
  reports = [];
  return taken;
}

export const isKept = ({ value, bound }: Figure): boolean =>
  bound === undefined || ('most' in bound ? value <= bound.most : value >= bound.least);

/** Prints figures with their bounds; a missed bound makes the process exit with code 1. */
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

/** Returns the share of the baseline in words; empty without a baseline. */
export const baselineText = ({ value, baseline }: Figure): string =>
  baseline === undefined ? '' : `${valueText((100 * value) / baseline.value)} % of ${baseline.name}`;

export const limitText = (bound: NonNullable<Figure['bound']>): string =>
  'most' in bound ? `≤ ${valueText(bound.most)}` : `≥ ${valueText(bound.least)}`;

/** Returns the value that a `share` of the values does not exceed; the largest for 1. NaN for an empty list. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
