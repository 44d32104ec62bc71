import { z } from 'zod';
import type { EndpointAnswer } from '../contract/index.ts';
import { marketName, number, share, signed, time } from '../language/format.ts';
import { msg } from '../language/text.ts';
import { timeOf } from '../runtime/rows.ts';
import { mean, standardDeviation } from '../runtime/statistics.ts';
import { day, minute, second } from '../runtime/units.ts';
import {
  againstTheCrowd,
  askMarkets,
  defineEpisodes,
  hasTurned,
  maxDataGap,
  setting,
} from './kit/define-episodes.ts';
import { points, seriesOf, type Window } from './kit/series.ts';

/** How many markets have their usual share computed in one run. Each needs 2,880 rows, and a long step holds up other work. */
const maxPastsPerRun = 3;
/** The shortest past from which the usual share is computed: a week includes a weekend. */
const minPast = 7 * day;
/** The age above which a ratio says nothing about the present. Ratios come every 15 minutes, and are asked for every hour. */
const staleAfter = 90 * minute;

/**
 * The usual share of longs, 0 to 1: its mean and standard deviation over the past that was asked for, until `at`.
 * `type` is the option's then; absent: an earlier version has computed it, and it counts.
 */
const usual = z.object({ mean: z.number(), sd: z.number(), at: z.number(), type: z.string().optional() });
type Usual = z.output<typeof usual>;
type Share = Record<'at' | 'long', number>;

/**
 * Alerts when the long/short ratio stands out against the symbol's own last 30 days, which is all the endpoint gives: z
 * = (share of longs − mean) / sd, with mean and sd computed anew each day. No threshold is public for it: `enter` lies
 * between the levels HIGH and EXTREME of funding (z above 2 and 3). Because shares of
 * accounts move little, the share must also be `minShift` away from its mean. The exchange's shares do not always sum
 * to 1, so each is taken as a part of their sum.
 */
export default defineEpisodes({
  name: 'ratio-extreme',
  description: msg('A market’s longs or shorts are crowded against their own last 30 days'),
  preset: 'everything',
  smallest: ({ minShift }) => msg('{size} more on one side than usual', { size: share(minShift) }),
  prediction: againstTheCrowd('side'),
  schedule: '10 21 * * * *',
  cost: 'rows come every 15 minutes and move slowly',
  groupWait: 30 * second,
  options: {
    maxSymbols: setting.maxSymbols(10, 'requests every hour'),
    type: z
      .enum(['global_account', 'top_position'])
      .default('global_account')
      .describe('all accounts; or top_position, the largest traders’ positions'),
    enter: setting.positive(2.5, 'z-score against the symbol’s last 30 days'),
    exit: setting.number(1, 'ends below this z-score'),
    minShift: setting.number(
      0.04,
      'of the share of longs away from its mean, however still it has been',
      '[0, 1]',
    ),
    confirm: setting.integer(4, 'rows in a row: an hour'),
    calm: setting.integer(4, 'rows in a row before it has ended'),
    cooldown: setting.duration('24h', 'after its end'),
  },
  check: setting.exitNotAboveEnter,
  rules: (options) => ({ ...options, keep: maxDataGap }),
  memory: z.record(z.string(), usual),

  observe(context) {
    const { data, options, state, now, signal } = context;
    let pastsLeft = maxPastsPerRun;
    return askMarkets(context, async (symbol) => {
      const usual = ofType(state?.memory?.[symbol], options.type);
      const isDue = now - (usual?.at ?? 0) >= day && pastsLeft-- > 0;
      // As long as no usual share is known, a day of rows could not be judged.
      if (usual === undefined && !isDue) return { rows: [] };
      // The usual share is computed once a day from all the past there is.
      const hours = isDue ? 720 : 24;
      return { rows: (await data.lsRatioHistory({ symbol, hours, type: options.type }, signal)).data };
    });
  },

  look(answers, { options, now, values, memory: before = {} }) {
    const memory = Object.fromEntries(
      Object.entries(before).filter(([symbol, usual]) => values[symbol] && ofType(usual, options.type)),
    );
    const seen = answers.flatMap(({ symbol: key, rows: given }) => {
      const news = sharesOf(given, { now, since: values[key]?.seen ?? 0 });
      const current = news.at(-1);
      if (current === undefined || now - current.at > staleAfter) return [];
      const usualShare = usualOf(given, now) ?? memory[key];
      if (usualShare === undefined) return [];
      memory[key] = { ...usualShare, type: options.type };
      const samples = news.map(({ at, long }) => {
        const z = zOf(long, usualShare);
        const side = Math.abs(z) < options.exit || z === 0 ? null : z > 0 ? 'LONG' : 'SHORT';
        const strong = Math.abs(z) >= options.enter && Math.abs(long - usualShare.mean) >= options.minShift;
        return { at, side, strong };
      });
      return [{ key, samples, given, current, usualShare }];
    });
    return { seen, memory };
  },

  labelsOf: (symbol, side) => ({ symbol, side }),
  endsUnseen: true,

  tell(transition, { seen, options, now }) {
    const { ended, side } = transition;
    const { key: symbol, given, current, usualShare } = seen;
    const { type, enter, minShift } = options;
    const z = zOf(current.long, usualShare);
    const values = { symbol: marketName(symbol), side, long: share(current.long, 1), z: signed(z, 1) };
    const usual = { mean: share(usualShare.mean, 1), sd: share(usualShare.sd, 1) };
    const shift = Math.max(enter * usualShare.sd, minShift);
    const crowded = usualShare.mean + (side === 'LONG' ? shift : -shift);
    const lastDay = sharesOf(given, { now, since: current.at - day });
    return {
      title: ended
        ? hasTurned(transition, seen)
          ? msg('{symbol} long/short ratio is on the other side now: {long} long', values)
          : msg('{symbol} long/short ratio is back to normal: {long} long', values)
        : msg('{symbol} {side, select, LONG {longs} other {shorts}} crowded: {long} long (z {z})', values),
      summary: msg(
        '{type, select, top_position {Counted by the positions of top traders} other {Counted by accounts, whatever their size}}. A crowd on one side can be right for weeks.',
        { type },
      ),
      facts: [
        [msg('Long'), values.long],
        [msg('30-day mean'), msg('{mean} ± {sd}', usual)],
        [msg('z over 30 days'), signed(z, 2)],
        [msg('Longs per short'), number(current.long / (1 - current.long), 2)],
        [msg('Baseline as of'), time(usualShare.at)],
      ],
      picture: {
        subject: msg('Share of longs in {symbol}', values),
        unit: '%',
        line: [msg('Long'), points(lastDay, (row) => row.long * 100)],
        marks: [
          [msg('usual'), usualShare.mean * 100, 'neutral'],
          [msg('crowded from'), crowded * 100],
        ],
      },
      prominence: Math.abs(z),
    };
  },
});

/** Returns the usual share if it is of this type: with another option, another share is followed. */
const ofType = (usual: Usual | undefined, type: string): Usual | undefined =>
  (usual?.type ?? type) === type ? usual : undefined;

type Row = EndpointAnswer<'lsRatioHistory'>['data'][number];

function sharesOf(rows: readonly Row[], window: Window): Share[] {
  const make = (row: Row) => ({ at: timeOf(row), long: row.longRatio / (row.longRatio + row.shortRatio) });
  return seriesOf(rows, { ...window, make }).filter(({ long }) => long >= 0 && long <= 1);
}

/** Returns the usual share over the rows up to now. Undefined if they do not reach far enough back. */
function usualOf(rows: readonly Row[], now: number): Usual | undefined {
  // Most answers cover one day: no share is computed for them.
  const times = rows.map(timeOf);
  if (Math.max(...times) - Math.min(...times) < minPast) return undefined;
  const shares = sharesOf(rows, { now });
  const [first, last] = [shares[0], shares.at(-1)];
  if (first === undefined || last === undefined || last.at - first.at < minPast) return undefined;
  const longs = shares.map(({ long }) => long);
  return { mean: mean(longs), sd: standardDeviation(longs), at: last.at };
}

const zOf = (long: number, { mean, sd }: Usual): number => (sd > 0 ? (long - mean) / sd : 0);
