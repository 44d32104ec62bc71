import { marketName, number, percent, price, share, usd } from '../language/format.ts';
import { msg } from '../language/text.ts';
import { timeOf } from '../runtime/rows.ts';
import { minute, second } from '../runtime/units.ts';
import { askMarkets, defineEpisodes, maxDataGap, setting } from './kit/define-episodes.ts';
import { isKnowable } from './kit/known.ts';

/** The age above which a map says nothing about the present. Maps change every 5 minutes. */
const staleAfter = 20 * minute;

/**
 * Alerts when the price comes near one of the largest quarter of liquidation levels while those who were liquidated last were
 * highly leveraged. The levels are estimates (/liquidations/zones says how they fared), and over the simulated and the recorded
 * market they took no more of what was liquidated than chance would: so it is off by default.
 */
export default defineEpisodes({
  name: 'liquidation-level',
  description: msg(
    'A market’s price comes near a large liquidation level while leverage is high; not shown to help',
  ),
  preset: 'everything',
  smallest: ({ minShare }) => msg('a level with {size} of all that is estimated', { size: share(minShare) }),
  off: 'its levels took no more of what was liquidated than chance would (measured)',
  schedule: '25 3-59/5 * * * *',
  cost: 'levels change every 5 minutes',
  groupWait: 30 * second,
  options: {
    maxSymbols: setting.maxSymbols(5, 'two requests every 5 minutes', 100),
    enter: setting.number(1, 'percent of the price from the level', '(0, 25]'),
    exit: setting.number(2, 'ends beyond this, percent', '(0, 25]'),
    minShare: setting.number(0.05, 'of the USD estimated at all levels', '(0, 1]'),
    minLeverage: setting.number(20, 'implied leverage of those liquidated in the last 24 hours', '[1, 125]'),
    confirm: setting.integer(2, 'maps in a row'),
    calm: setting.integer(3, 'maps in a row before it has ended'),
    cooldown: setting.duration('12h', 'after its end'),
  },
  rules: (options) => ({ ...options, keep: maxDataGap }),
  trail: { interval: 5 * minute, maxValues: 72 },
  observe: (context) =>
    askMarkets(context, async (symbol) => {
      const { data, signal } = context;
      const [map, leverage] = await Promise.all([
        data.liquidationZones({ symbol }, signal),
        data.leverage({ symbol }, signal),
      ]);
      return { ...map, leverage: leverage.estimatedLeverage };
    }),

  look: (answers, { options: { enter, exit, minShare, minLeverage }, now, values }) =>
    answers.flatMap((answer) => {
      const { symbol, price: last, leverage } = answer;
      const zones = [
        ...new Map(answer.zones.map((zone) => [`${zone.side} ${zone.distancePct}`, zone])).values(),
      ];
      const at = timeOf(answer);
      if (!isKnowable(at, now) || now - at > staleAfter || leverage === undefined) return [];
      if (at <= (values[symbol]?.seen ?? 0)) return [];
      const total = zones.reduce((sum, { estimatedUsd }) => sum + estimatedUsd, 0);
      const nearest = zones
        // Levels of equal size have an order too, whatever the order of the answer.
        .toSorted(
          (a, b) =>
            b.estimatedUsd - a.estimatedUsd || a.distancePct - b.distancePct || (a.side < b.side ? -1 : 1),
        )
        .slice(0, Math.ceil(zones.length / 4))
        .filter(({ estimatedUsd }) => estimatedUsd >= minShare * total)
        .map((zone) => ({ ...zone, distance: Math.abs(zone.distancePct) }))
        .sort((a, b) => a.distance - b.distance)[0];
      const isNear = nearest !== undefined && nearest.distance <= exit;
      const sample = isNear
        ? { at, side: nearest.side, strong: nearest.distance <= enter && leverage >= minLeverage }
        : { at, side: null };
      return [{ key: symbol, samples: [sample], trace: [at, last] as const, nearest, last, leverage }];
    }),

  labelsOf: (symbol, side) => ({ symbol, side }),
  endsUnseen: true,

  tell({ ended, side }, { seen: { key: symbol, nearest, last, leverage }, past }) {
    const name = marketName(symbol);
    const values = { symbol: name, side, away: percent(nearest?.distance), usd: usd(nearest?.estimatedUsd) };
    return {
      title: ended
        ? msg('{symbol} is away from its large liquidation level', values)
        : msg(
            '{symbol} is {away} from a level with {usd} of {side, select, LONG {longs} other {shorts}}, estimated',
            values,
          ),
      summary: msg('An estimate that has not been better than chance: see {levels}.', {
        levels: `levels ${name}`,
      }),
      facts: [
        [msg('Price'), price(last)],
        nearest !== undefined && [msg('Level'), price(nearest.price)],
        [msg('Implied leverage'), msg('{times} ×', { times: number(leverage, 0) })],
      ],
      picture: {
        subject: msg('Price of {symbol}', { symbol: name }),
        unit: 'USDT',
        line: [name, past],
        marks: [nearest !== undefined && [msg('level'), nearest.price]],
      },
      prominence: nearest?.estimatedUsd ?? 0,
    };
  },
});
