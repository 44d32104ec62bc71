import type { Series } from '../../alert/alert.ts';
import { msg, type Text } from '../../language/text.ts';
import type { Bar } from '../../rules/indicators.ts';
import { day, hour } from '../../runtime/units.ts';

export const indicators = ['ema', 'bollinger', 'vwap', 'rsi'] as const;
export type Indicator = (typeof indicators)[number];

/** As many candles as can be told apart on a phone. */
export const shown = 72;
/** Candles before the first that is shown. An average over 200 forgets its beginning slowly. */
export const warmUp: Readonly<Record<Indicator, number>> = { ema: 928, bollinger: 20, vwap: 0, rsi: 150 };
const emaLengths = [20, 50, 200] as const;
export interface DrawnCandle extends Bar {
  readonly time: number;
  readonly open: number;
  readonly takerBuy: number | undefined;
}

const cut = (series: Series, from: number): Series => ({
  ...series,
  points: series.points.filter(([at, value]) => at > from && Number.isFinite(value)),
});

/** The lines that an indicator draws over the price. */
export async function overlay(
  indicator: Indicator,
  {
    candles,
    from,
    length,
  }: { readonly candles: readonly DrawnCandle[]; readonly from: number; readonly length: number },
): Promise<Series[]> {
  return (await linesOf(indicator, candles, length)).map((series) => cut(series, from));
}

async function linesOf(
  indicator: Indicator,
  candles: readonly DrawnCandle[],
  length: number,
): Promise<Series[]> {
  const { bollinger, ema, vwap } = await import('../../rules/indicators.ts');
  const closes = candles.map(({ close }) => close);
  const lineFor = (name: Text, values: readonly number[]): Series => ({
    name,
    points: candles.map(({ time }, index) => [time, values[index] ?? Number.NaN] as const),
  });
  switch (indicator) {
    case 'ema':
      return emaLengths.map((count) => lineFor(msg('EMA {length}', { length: count }), ema(closes, count)));
    case 'bollinger': {
      const bands = bollinger(closes, { length: 20, deviations: 2 });
      const [uppers, lowers] = [bands.map(({ upper }) => upper), bands.map(({ lower }) => lower)];
      return [
        { ...lineFor(msg('Bollinger, upper'), uppers), tone: 'neutral' },
        { ...lineFor(msg('Bollinger, lower'), lowers), tone: 'neutral' },
      ];
    }
    case 'vwap': {
      // Of the UTC day, as exchanges reset it; over candles that are too long for a day, of all that is drawn.
      const seen = candles.slice(-shown);
      const sessions = Map.groupBy(seen, ({ time }) =>
        length < 4 * hour ? Math.floor((time - length) / day) : 0,
      );
      const values = [...sessions.values()].flatMap((session) => vwap(session));
      const points = seen.map(({ time }, index) => [time, values[index] ?? Number.NaN] as const);
      return [{ name: msg('VWAP'), points }];
    }
    case 'rsi':
      return [];
  }
}

export const rsiLine = async (candles: readonly DrawnCandle[], from: number): Promise<Series> => {
  const { rsi } = await import('../../rules/indicators.ts');
  const closes = candles.map(({ close }) => close);
  const values = rsi(closes, 14);
  const line = candles.map(({ time }, index) => [time, values[index] ?? Number.NaN] as const);
  return cut({ name: msg('RSI {length}', { length: 14 }), points: line }, from);
};
