import { z } from 'zod';
import { count, marketName, price as quote, span, time as timeOf, usd } from '../language/format.ts';
import { listOf, msg, msgIn } from '../language/text.ts';
import { minute } from '../runtime/units.ts';
import { agreedSchema, nextAgreed } from './kit/agreed.ts';
import { defineEpisodes, setting } from './kit/define-episodes.ts';
import { isFreshOverview } from './kit/known.ts';

const watched = z.object({
  /** The band that the price is in: between this many steps and one more, give or take the margin. */
  band: agreedSchema(z.int()),
  /** The levels that were reported, and when: [level, market ms]. */
  announced: z.array(z.tuple([z.number(), z.number()])),
});
type Watched = z.output<typeof watched>;

/**
 * Alerts when the price of one of the largest symbols crosses a round level. Each crossing is one alert with labels `{
 * kind, symbol, level, direction }`: it ends when the price crosses back, goes on to the next level, or has stayed for
 * `settle`. Of several levels crossed between two looks, the last is reported. Measured on BTCUSDT, hourly, October
 * 2020 to December 2022, with the defaults: 65 alerts a year.
 */
export default defineEpisodes({
  name: 'price-level',
  description: msg('The price of a large market crosses a round level'),
  preset: 'standard',
  smallest: ({ steps }) =>
    listOf(
      Object.entries(steps).map(([symbol, step]) =>
        msg('{symbol}: every {step}', { symbol: marketName(symbol), step: usd(step) }),
      ),
    ),
  schedule: '10 * * * * *',
  cost: 'one request for all symbols, half of them price-move’s too',
  options: {
    steps: z
      .record(z.string(), z.number().positive())
      .default({ BTCUSDT: 5_000, ETHUSDT: 250 })
      .describe('quote currency between two round levels, by symbol'),
    margin: setting.number(
      0.1,
      'part of a step by which the price must be beyond a level, either way',
      '(0, 0.5)',
    ),
    confirm: setting.integer(2, 'looks in a row beyond it'),
    settle: setting.duration('12h', 'a crossing that has stood this long is settled'),
    cooldown: setting.duration(
      '24h',
      'no second alert for the same level for this long, in either direction',
    ),
  },
  /** `markets` is by symbol and step: with another step a symbol is treated as new. */
  memory: z.object({ dataTime: z.number(), markets: z.record(z.string(), watched) }),
  trail: { interval: 10 * minute, maxValues: 144 },
  rules: ({ settle }) => ({ settle }),
  followsPrices: true,
  observe: async ({ data, prices, signal }) => prices ?? data.marketOverview({}, signal),

  look({ coins, timestamp }, { options, now, values, memory = { dataTime: 0, markets: {} } }) {
    const at = Date.parse(timestamp);
    if (!isFreshOverview(at, now) || at <= memory.dataTime) return { seen: [], memory };
    const prices = new Map(coins.map(({ symbol, price }) => [symbol, price]));
    const markets: Record<string, Watched> = {};
    const watch = Object.entries(options.steps).flatMap(([symbol, step]) => {
      const key = `${symbol} ${step}`;
      const past = memory.markets[key];
      const price = prices.get(symbol);
      if (price === undefined || !(price > 0)) {
        if (past !== undefined) markets[key] = past;
        return [];
      }
      const { side, ...crossing } = crossingOf(past, { ...options, at: price / step });
      const level = levelOf(side, step);
      const recent = (past?.announced ?? []).filter(([, when]) => at - when < options.cooldown);
      const alreadyReported = recent.some(([one]) => one === level);
      const isNews = past !== undefined && side !== null && !alreadyReported;
      markets[key] = { ...crossing, announced: isNews ? [...recent, [level, at]] : recent };
      const samples = [{ at, side, strong: true, severity: 'warning' as const, alreadyReported }];
      return [{ key, symbol, price, samples, trace: [at, price] as const }];
    });
    // The alert of a symbol ends if the symbol is no longer configured with this step.
    const left = Object.keys(values).flatMap((key) => {
      const [symbol = '', step] = key.split(' ');
      const price = prices.get(symbol);
      if (options.steps[symbol] === Number(step) || price === undefined) return [];
      return [{ key, symbol, price, samples: [], gone: at, trace: [at, price] as const }];
    });
    return { seen: [...watch, ...left], memory: { dataTime: at, markets } };
  },

  labelsOf(key, side) {
    const [symbol = '', step] = key.split(' ');
    const [direction = ''] = side.split(' ');
    return { symbol, level: String(levelOf(side, Number(step))), direction };
  },
  endsUnseen: true,

  tell({ status, ended, side, since, seen: at }, { seen: { key, symbol, price: last }, past }) {
    const [direction = ''] = side.split(' ');
    const level = levelOf(side, Number(key.split(' ')[1]));
    const name = marketName(symbol);
    const round = Number.isInteger(level) ? count(level) : quote(level);
    const values = { symbol: name, direction, level: round, price: quote(last), after: span(at - since) };
    const isBack = direction === 'UP' ? last < level : last > level;
    const titles = {
      crossed: msg(
        '{symbol} {direction, select, UP {rose above} other {fell below}} {level}: {price}',
        values,
      ),
      back: msg('{symbol} is back across {level}: {price}', values),
      still: msg(
        '{symbol} still {direction, select, UP {above} other {below}} {level} after {after}',
        values,
      ),
    };
    return {
      title: titles[status === 'firing' ? 'crossed' : isBack ? 'back' : 'still'],
      summary: msg('Round level crossed.'),
      facts: [
        [msg('Price'), values.price],
        [msgIn('price', 'Level'), round],
        ended && [msg('Crossed'), timeOf(since)],
      ],
      picture: {
        subject: msg('{symbol} price', values),
        unit: 'USDT',
        line: [name, past],
        marks: [[msgIn('price', 'Level'), level]],
      },
    };
  },
});

type Crossing = Record<'at' | 'margin' | 'confirm', number>;

/**
 * Returns the band of the price `at`, in steps, and, as `side`, in which direction it has crossed which level, in steps:
 * at the baseline the level below the price. Null: none.
 */
function crossingOf(past: Watched | undefined, { at, margin, confirm }: Crossing) {
  const from = past?.band.value ?? Math.floor(at);
  const up = Math.floor(at - margin);
  const down = Math.floor(at + margin);
  const to = up > from ? up : down < from ? down : from;
  const band = nextAgreed(past?.band, { seen: to, confirm, keyOf: () => (to > from ? 'UP' : 'DOWN') });
  const stays = past !== undefined && band.value === from;
  return { band, side: stays ? null : band.value < from ? `DOWN ${band.value + 1}` : `UP ${band.value}` };
}

/** Returns the level in the quote currency. It is rounded, as a multiple of a step such as 0.1 may be 0.30000000000000004. */
const levelOf = (side: string | null, step: number): number =>
  Number((Number(side?.split(' ')[1]) * step).toPrecision(12));
