import type { Archive, TimeRange } from '../archive/archive.ts';
import type { AnyHistory } from '../collectors/collector.ts';

/** A part of a gap that one request fetches. */
export interface MissingPage extends TimeRange {
  readonly history: AnyHistory;
  readonly symbol: string;
  readonly gap: Gap;
}

export interface Gap extends TimeRange {
  /** It ends at the newest row there could be: an outage since, or a row not published yet. */
  readonly open: boolean;
}

/** The newest row there can be: a row that describes a step, such as a candle, is whole when its step is over. */
export const newestTime = ({ series, step }: AnyHistory, now: number): number =>
  Math.floor(now / step) * step - (series === 'candles1h' || series === 'candles1d' ? step : 0);

/** Cuts a gap into pages, the newest first: what people look at comes before what models are trained on. */
export function pagesOf(
  gap: TimeRange,
  { step, pageSteps }: { readonly step: number; readonly pageSteps: number },
): TimeRange[] {
  const length = pageSteps * step;
  const pages: TimeRange[] = [];
  for (let to = gap.to; to >= gap.from; to -= length) {
    pages.push({ from: Math.max(gap.from, to - length + step), to });
  }
  return pages;
}

/** Gaps of one symbol's series in the last `past` ms, not before its listing. */
export async function gapsOf(
  archive: Archive,
  {
    history,
    symbol,
    window,
  }: {
    readonly history: AnyHistory;
    readonly symbol: string;
    readonly window: { readonly now: number; readonly past: number; readonly listed: number };
  },
): Promise<Gap[]> {
  const { series, step } = history;
  const to = newestTime(history, window.now);
  const from = Math.max(Math.ceil(window.listed / step) * step, to - window.past + step);
  if (window.past <= 0 || from > to) return [];
  const gaps = await archive.gaps(series, {
    symbol,
    window: { from, to, step, irregular: history.irregular ?? false },
  });
  return gaps.map((gap) => ({ ...gap, open: gap.to === to && gap.from > from }));
}

/** Rows that a span lacks. */
export const rowsIn = ({ from, to }: TimeRange, step: number): number => Math.floor((to - from) / step) + 1;
