import type { Archive, TimeRange } from '../archive/archive.ts';
import { seriesDescriptions } from '../archive/series.ts';
import type { AnyHistory } from './collectors/collector.ts';

/** The part of a gap that one request fetches. */
export interface MissingPage extends TimeRange {
  readonly history: AnyHistory;
  readonly symbol: string;
  readonly gap: Gap;
}

export interface Gap extends TimeRange {
  /** Whether the gap ends at the newest row that can exist: after an outage, or if a row is not published yet. */
  readonly open: boolean;
}

/** Returns the time of the newest row that can exist. */
export const newestTime = ({ series, step }: AnyHistory, now: number): number =>
  Math.floor(now / step) * step - (seriesDescriptions[series].length ?? 0);

/** Cuts a gap into pages, the newest first, because people look at recent data; older data is for training models. */
export function pagesOf(gap: TimeRange, step: number, pageSteps: number): TimeRange[] {
  const length = pageSteps * step;
  const pages: TimeRange[] = [];
  for (let to = gap.to; to >= gap.from; to -= length) {
    pages.push({ from: Math.max(gap.from, to - length + step), to });
  }
  return pages;
}

/** Returns the gaps in one symbol's series over the last `past` ms, but not before the symbol's listing. */
export async function gapsOf(
  archive: Archive,
  {
    history,
    symbol,
    window,
  }: {
    readonly history: AnyHistory;
    readonly symbol: string;
    readonly window: { readonly now: number; readonly past: number; readonly listedAt: number };
  },
): Promise<Gap[]> {
  const { series, step } = history;
  const to = newestTime(history, window.now);
  const from = Math.max(Math.ceil(window.listedAt / step) * step, to - window.past + step);
  if (window.past <= 0 || from > to) return [];
  const gaps = await archive.gaps(series, {
    symbol,
    window: { from, to, step, irregular: history.irregular ?? false },
  });
  return gaps.map((gap) => ({ ...gap, open: gap.to === to && gap.from > from }));
}

/** Returns the number of rows that a missing range would have. */
export const rowsIn = ({ from, to }: TimeRange, step: number): number => Math.floor((to - from) / step) + 1;
