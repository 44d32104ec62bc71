import type { Chart, Fact, Panel, Series } from '../../alert/alert.ts';
import { bandsOf } from '../../alert/bands.ts';
import { regimeTones } from '../../alert/regime.ts';
import { baseOf } from '../../alert/symbols.ts';
import { allLiquidations, type Coverage, type LiquidationRow } from '../../client/all-liquidations.ts';
import { type CandleInterval, candleLengths } from '../../contract/candle-interval.ts';
import type { EndpointAnswer } from '../../contract/index.ts';
import { marketName, span as spanText } from '../../language/format.ts';
import { msg, type Text } from '../../language/text.ts';
import { ifAnswered } from '../../runtime/errors.ts';
import { day, hour, iso } from '../../runtime/units.ts';
import type { CommandContext } from '../../shell/command.ts';
import { awaitOptionalPart } from '../../shell/failure.ts';
import { alertsOf, judgedText, largestZones } from './chart-marks.ts';
import { type DrawnCandle, type Indicator, overlay, rsiLine, shown, warmUp } from './overlays.ts';
import { lineOf, type Points, points } from './series.ts';

/** The longest pasts that the endpoints give. */
const most = { momentumHours: 168, regimeDays: 90, settlements: 1_000, liquidations: 500 } as const;
/** How long a regime lasts after its last row, ms. Rows come hourly. */
const regimeLength = 2 * hour;
/** A market's candles with all that is known beside them, on one time axis. Values stand at the end of their candle. */
interface MarketPicture {
  readonly chart: Chart;
  readonly candles: readonly DrawnCandle[];
  /** Names what is missing. */
  readonly missing: readonly Fact[];
  /** How the levels fared that are drawn. Empty: none is drawn, or it is not known. */
  readonly judged: readonly Fact[];
  /** When the last candle closed, market ms. */
  readonly dataTime: number;
}

/** Draws one market. Undefined: there are no two candles. Throws ApiError if the service offers no candles. */
export async function marketPicture(
  symbol: string,
  {
    interval,
    indicators = [],
    ...context
  }: { readonly interval: CandleInterval; readonly indicators?: readonly Indicator[] } & Pick<
    CommandContext,
    'data' | 'store' | 'caller' | 'universe' | 'now' | 'signal'
  >,
): Promise<MarketPicture | undefined> {
  const { data, now, signal } = context;
  const length = candleLengths[interval];
  const before = Math.max(0, ...indicators.map((each) => warmUp[each]));
  const span = shown * length;
  const { data: rows } = await data.candles({ symbol, interval, limit: shown + before }, signal);
  const [funding, momentum, liquidations, regimes, zones, alerts] = await Promise.all([
    awaitOptionalPart(
      msg('Funding'),
      data.fundingHistory({ symbol, limit: Math.min(most.settlements, Math.ceil(span / hour) + 2) }, signal),
    ),
    awaitOptionalPart(
      msg('Open interest'),
      data.oiMomentum({ symbol, hours: Math.min(most.momentumHours, Math.ceil(span / hour) + 1) }, signal),
    ),
    awaitOptionalPart(
      msg('Liquidations'),
      allLiquidations(data, { symbol, since: iso(now - span - length), limit: most.liquidations }, signal),
    ),
    regimesOf(symbol, { days: Math.min(most.regimeDays, Math.ceil(span / day) + 1), data, signal }),
    ifAnswered(data.liquidationZones({ symbol }, signal)),
    alertsOf(symbol, context),
  ]);
  const all = rows.map(
    (row): DrawnCandle => ({
      time: Date.parse(row.open_time) + length,
      open: Number(row.o),
      high: Number(row.h),
      low: Number(row.l),
      close: Number(row.c),
      volume: Number(row.v),
      takerBuy: row.taker_buy === undefined ? undefined : Number(row.taker_buy),
    }),
  );
  const candles = all.slice(-shown);
  const [first, last] = [candles[0], candles.at(-1)];
  if (first === undefined || last === undefined || candles.length < 2) return undefined;
  const from = first.time - length;
  const window = { from, to: last.time, length };
  const low = Math.min(...candles.map((candle) => candle.low));
  const high = Math.max(...candles.map((candle) => candle.high));
  const isVisible = (price: number) => price >= low - (high - low) / 4 && price <= high + (high - low) / 4;
  const overlays = await Promise.all(indicators.map((each) => overlay(each, { candles: all, from, length })));
  const base = baseOf(symbol);
  const levels = largestZones(zones).filter(({ value, to }) => isVisible(value) && isVisible(to));
  const inWindow = (all: Points) => inside(all, window);
  const interest = inWindow(points(momentum.value?.data ?? [], ({ oi }) => oi));
  const scores = inWindow(points(regimes, ({ score }) => score));
  const lane = (name: Text, panel: Panel) =>
    panel.series.every(({ points }) => points.length < 2) ? [] : [{ name, ...panel }];
  return {
    candles,
    dataTime: last.time,
    judged:
      levels.length === 0 || zones?.judged === undefined
        ? []
        : [{ name: msg('Liquidation levels'), value: judgedText(zones.judged) }],
    missing: [...funding.missing, ...momentum.missing, ...liquidations.missing],
    chart: {
      title: msg('{symbol}, {interval} candles, last {length}', {
        symbol: marketName(symbol),
        interval,
        length: spanText(last.time - from),
      }),
      unit: 'USDT',
      series: [
        {
          name: marketName(symbol),
          points: candles.map(({ time, close }) => [time, close] as const),
          candles: candles.map(({ open, high, low, volume }) => [open, high, low, volume] as const),
        },
        ...overlays.flat(),
      ],
      marks: [...alerts.levels.filter(({ value }) => isVisible(value)), ...levels],
      moments: alerts.moments.filter(({ at }) => at >= from && at <= now),
      bands: bandsOf(
        regimes.map(({ timestamp, hmm_state }) => ({ at: Date.parse(timestamp), state: hmm_state })),
        (state) => (state === 'TRANSITION' ? undefined : regimeTones[state]),
        regimeLength,
      ),
      lanes: [
        ...(indicators.includes('rsi')
          ? lane(msg('RSI {length}', { length: 14 }), {
              unit: '',
              series: [await rsiLine(all, from)],
              marks: [
                { name: msg('overbought'), value: 70, tone: 'neutral' },
                { name: msg('oversold'), value: 30, tone: 'neutral' },
              ],
            })
          : []),
        ...lane(msg('Funding'), { unit: '%', series: [fundingLine(funding.value, window)] }),
        ...lane(msg('Open interest'), { unit: base, series: [lineOf(msg('Open interest'), interest)] }),
        ...lane(liquidationsAt(liquidations.value?.coverage), {
          unit: 'USD',
          series: liquidationBars(liquidations.value, window),
        }),
        ...lane(msg('CVD'), { unit: base, series: [cvdLine(candles)] }),
        ...lane(msg('Regime score'), { unit: '', series: [lineOf(msg('Regime score'), scores)] }),
      ],
    },
  };
}

/** Asks for the market's own regimes, oldest first; where it has none, for those of the whole market. */
async function regimesOf(
  symbol: string,
  { days, data, signal }: { readonly days: number } & Pick<CommandContext, 'data' | 'signal'>,
): Promise<EndpointAnswer<'regimeHistory'>['data']> {
  const own = await ifAnswered(data.regimeHistory({ symbol, days }, signal));
  if (own !== undefined && own.data.length > 1) return own.data.toReversed();
  return (await ifAnswered(data.regimeHistory({ days }, signal)))?.data.toReversed() ?? [];
}

interface Window {
  readonly from: number;
  readonly to: number;
  readonly length: number;
}

const inside = (all: Points, { from, to }: Window): Points => all.filter(([at]) => at >= from && at <= to);

/** The settlement before the window is still paid at its beginning, and the last one at its end. */
function fundingLine(answer: EndpointAnswer<'fundingHistory'> | undefined, window: Window): Series {
  const all = points(answer?.data ?? [], ({ rate }) => Number(rate) * 100);
  const before = all.findLast(([at]) => at < window.from);
  const within = inside(all, window);
  const last = within.at(-1) ?? before;
  return {
    name: msg('Funding'),
    shape: 'steps',
    points: [
      ...(before === undefined ? [] : [[window.from, before[1]] as const]),
      ...within,
      ...(last === undefined || last[0] >= window.to ? [] : [[window.to, last[1]] as const]),
    ],
  };
}

/** Names the venues whose liquidations are drawn, where they are those of several. */
const liquidationsAt = (coverage: Coverage = []): Text =>
  coverage.length < 2
    ? msg('Liquidations')
    : msg('Liquidations: {venues}', { venues: coverage.map(({ title }) => title).join(', ') });

/** The USD liquidated in each candle, longs downward. An answer that was cut at its limit begins with its oldest event. */
function liquidationBars(
  answer: { readonly data: readonly LiquidationRow[] } | undefined,
  window: Window,
): Series[] {
  if (answer === undefined) return [];
  const { from, to, length } = window;
  const oldest = Date.parse(answer.data.at(-1)?.event_time ?? '');
  const known = answer.data.length < most.liquidations ? from : Math.ceil(oldest / length) * length;
  const sums = (side: string, sign: 1 | -1): Points =>
    Array.from({ length: Math.max(0, Math.round((to - known) / length)) }, (_, index) => {
      const end = known + (index + 1) * length;
      const events = answer.data.filter(({ side: of, event_time }) => {
        const at = Date.parse(event_time);
        return of === side && at >= end - length && at < end;
      });
      return [end, sign * events.reduce((sum, { usd_value }) => sum + usd_value, 0)] as const;
    });
  return [
    { name: msg('Shorts'), shape: 'bars', tone: 'good', points: sums('SHORT', 1) },
    { name: msg('Longs'), shape: 'bars', tone: 'bad', points: sums('LONG', -1) },
  ];
}

/** Taker buys minus sells, summed from the first candle on. */
function cvdLine(candles: readonly DrawnCandle[]): Series {
  let sum = 0;
  const line = candles.flatMap(({ time, volume, takerBuy }) => {
    if (takerBuy === undefined) return [];
    sum += 2 * takerBuy - volume;
    return [[time, sum] as const];
  });
  return { name: msg('CVD'), points: line };
}
