import { day } from '../../runtime/units.ts';
import { publicationLag } from '../analytics/cross-asset.ts';
import type { Observation, TimeRange } from '../archive/archive.ts';

/** Series of other markets (`sp500`, `gold`, `dxy` or `broad_dollar`, `vix`). Values that no provider has are left out. */
export interface MacroProvider {
  readonly series: readonly string[];
  /** Ms between two values. */
  readonly step: number;
  /** Returns the values of the span, ascending. Each value's time is when it became known. */
  read(series: string, span: TimeRange): Promise<Observation[]>;
  /** Closes open connections, if the provider has any. */
  close?(): Promise<void>;
}

/**
 * Provides daily closes from CSV texts, given by series. Lines are `DATE,…,CLOSE` below a heading, with dates as
 * MM/DD/YYYY or YYYY-MM-DD: the format of datasets/finance-vix and of FRED's downloads.
 */
export function csvMacro(texts: Readonly<Record<string, string>>): MacroProvider {
  const rows = new Map(Object.entries(texts).map(([series, text]) => [series, parseCloses(series, text)]));
  return {
    series: [...rows.keys()],
    step: day,
    read: async (series, { from, to }) =>
      (rows.get(series) ?? []).filter(({ time }) => time >= from && time <= to),
  };
}

/** Returns when the value of a day, given by its beginning, became known. */
export const knownAt = (series: string, date: number): number => date + day + publicationLag(series);

/** Parses the closes of a CSV text. Lines without a number, such as FRED's lines for holidays, are skipped. */
export function parseCloses(series: string, text: string): Observation[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const cells = line.split(',');
    const [, month, date, year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(cells[0] ?? '') ?? [];
    const opened = Date.parse(
      month === undefined ? (cells[0] ?? '') : `${year}-${month.padStart(2, '0')}-${date?.padStart(2, '0')}`,
    );
    const last = cells.at(-1)?.trim() ?? '';
    const value = last === '' ? Number.NaN : Number(last);
    return cells.length > 1 && Number.isFinite(opened) && Number.isFinite(value)
      ? [{ symbol: series, time: knownAt(series, opened), value }]
      : [];
  });
}
