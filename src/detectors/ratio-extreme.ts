import { z } from 'zod';
import { askEach, symbolsWithin } from '../client/each.ts';
import { marketName, number, share, signed, time } from '../language/format.ts';
import { msg } from '../language/text.ts';
import { mean, standardDeviation } from '../runtime/statistics.ts';
import { day, duration, minute, msOf, second } from '../runtime/units.ts';
import { againstTheCrowd } from './kit/crowd.ts';
import { opened } from './kit/episode.ts';
import { defineEpisodes, lapse } from './kit/episodes.ts';
import { lineOf, points, series, type Timed } from './kit/series.ts';

/** Hours: all the past there is, from which the usual is taken once a day, and what is asked in between. */
const asked = { usual: 720, recent: 24 } as const;
/** Pasts taken at one run: each is 2,880 rows, and a step should not hold up others. */
const pastsAtOnce = 3;
/** A week, with its weekend, is the least that says what is usual. */
const shortest = 7 * day;
/** Ratios come every 15 minutes, and are asked for every hour. */
const stale = 90 * minute;

/** Longs' share, 0 to 1: what it was over the past asked for. */
const usual = z.object({ mean: z.number(), sd: z.number(), at: z.number() });
type Usual = z.output<typeof usual>;
type Row = Timed<{ readonly timestamp: string; readonly long: number }>;

/**
 * The long/short ratio stands out against the symbol's own last 30 days, which is all the endpoint gives:
 * z = (share of longs − mean) / sd, taken anew each day. No threshold is public for it: `enter` lies between the HIGH
 * and EXTREME of funding (interface, rule 9: z above 2 and 3), and because shares of accounts move little, the share
 * must also be `minShift` from its mean. Some samples do not sum to 1 (domain notes): each is taken of their sum.
 */
export default defineEpisodes({
  name: 'ratio-extreme',
  description: msg('A market’s longs or shorts are crowded against their own last 30 days'),
  preset: 'everything',
  claim: againstTheCrowd('side'),
  schedule: '10 25 * * * *',
  cost: 'rows come every 15 minutes and move slowly',
  groupWait: 30 * second,
  options: z
    .object({
      maxSymbols: z.int().min(1).max(200).default(10).describe('requests every hour'),
      type: z
        .enum(['global_account', 'top_position'])
        .default('global_account')
        .describe('all accounts; or top_position, the largest traders’ positions'),
      enter: z.number().positive().default(2.5).describe('z-score against the symbol’s last 30 days'),
      exit: z.number().min(0).default(1).describe('ends below this z-score'),
      minShift: z
        .number()
        .min(0)
        .max(1)
        .default(0.04)
        .describe('of the share of longs away from its mean, however still it has been'),
      confirm: z.int().min(1).default(4).describe('rows in a row: an hour'),
      calm: z.int().min(1).default(4).describe('rows in a row before it has ended'),
      cooldown: duration.prefault('24h').describe('after its end'),
    })
    .refine(({ enter, exit }) => exit <= enter, 'exit must not be above enter'),
  rules: (options) => ({ ...options, keep: lapse }),
  memory: z.record(z.string(), usual),

  async observe({ data, options, state, symbols, now, signal }) {
    const { values = {}, memory = {} } = state ?? {};
    const first = [...opened(values), ...symbols, ...Object.keys(values)];
    const chosen = await symbolsWithin(options.maxSymbols, first, data, signal);
    const due = chosen.filter((symbol) => now - (memory[symbol]?.at ?? 0) >= day).slice(0, pastsAtOnce);
    // Where there is no usual yet, a day of rows could not be judged.
    const ready = chosen.filter((symbol) => memory[symbol] !== undefined || due.includes(symbol));
    const answers = await askEach(ready, (symbol) => {
      const hours = due.includes(symbol) ? asked.usual : asked.recent;
      return data.lsRatioHistory({ symbol, hours, type: options.type }, signal);
    });
    return [...answers].map(([symbol, answer]) => ({ symbol, rows: answer.data }));
  },

  look(answers, { options, now, values, memory: before = {} }) {
    const memory = Object.fromEntries(Object.entries(before).filter(([symbol]) => values[symbol]));
    const seen = answers.flatMap(({ symbol: key, rows: given }) => {
      const past = values[key];
      const whole = past === undefined || reach(given) >= shortest;
      const rows = sharesOf(series(given, now, whole ? undefined : past.seen));
      const current = rows.at(-1);
      if (current === undefined || now - current.at > stale) return [];
      const against = usualOf(rows) ?? memory[key];
      if (against === undefined || current.at <= (past?.seen ?? 0)) return [];
      memory[key] = against;
      const news = past === undefined ? rows : rows.filter(({ at }) => at > past.seen);
      const samples = news.map(({ at, long }) => {
        const z = zOf(long, against);
        const strong = Math.abs(z) >= options.enter && Math.abs(long - against.mean) >= options.minShift;
        return {
          at,
          side: Math.abs(z) < options.exit || z === 0 ? null : z > 0 ? 'LONG' : 'SHORT',
          strong,
        };
      });
      return [{ key, samples, given, current, against }];
    });
    return { seen, memory };
  },

  tell(
    { status, side },
    { key: symbol, given, current, against },
    { options: { type, enter, minShift }, now },
  ) {
    const long = share(current.long, 1);
    const z = zOf(current.long, against);
    const name = marketName(symbol);
    const shift = Math.max(enter * against.sd, minShift);
    const crowded = against.mean + (side === 'LONG' ? shift : -shift);
    const lately = sharesOf(series(given, now)).filter(({ at }) => at > current.at - day);
    return {
      labels: { symbol, side },
      title:
        status === 'resolved'
          ? msg('{symbol} long/short ratio is back to normal: {long} long', { symbol: name, long })
          : msg('{symbol} {side, select, LONG {longs} other {shorts}} crowded: {long} long (z {z})', {
              symbol: name,
              side,
              long,
              z: signed(z, 1),
            }),
      summary: msg(
        '{type, select, top_position {Counted by the positions of top traders} other {Counted by accounts, whatever their size}}. A crowd on one side can be right for weeks.',
        { type },
      ),
      facts: [
        { name: msg('Long'), value: long },
        {
          name: msg('30-day mean'),
          value: msg('{mean} ± {sd}', { mean: share(against.mean, 1), sd: share(against.sd, 1) }),
        },
        { name: msg('z over 30 days'), value: signed(z, 2) },
        { name: msg('Longs per short'), value: number(current.long / (1 - current.long), 2) },
        { name: msg('Baseline as of'), value: time(against.at) },
      ],
      ...lineOf(
        msg('Share of longs in {symbol}', { symbol: name }),
        points(lately, (row) => row.long * 100),
        {
          unit: '%',
          name: msg('Long'),
          marks: [
            { name: msg('usual'), value: against.mean * 100, tone: 'neutral' },
            { name: msg('crowded from'), value: crowded * 100 },
          ],
        },
      ),
      prominence: Math.abs(z),
      dataTime: current.at,
    };
  },
});

const sharesOf = (
  rows: readonly Timed<{
    readonly timestamp: string;
    readonly longRatio: number;
    readonly shortRatio: number;
  }>[],
): Row[] =>
  rows.flatMap(({ at, timestamp, longRatio, shortRatio }): Row[] => {
    const long = longRatio / (longRatio + shortRatio);
    return long >= 0 && long <= 1 ? [{ at, timestamp, long }] : [];
  });

/** Ms between the first of the rows and the last, whichever way they go. */
const reach = (rows: readonly { readonly timestamp: string }[]): number =>
  Math.abs(msOf(rows.at(-1)?.timestamp ?? '') - msOf(rows[0]?.timestamp ?? ''));

/** undefined where the rows do not reach far enough back. */
function usualOf(rows: readonly Row[]): Usual | undefined {
  const [first] = rows;
  const last = rows.at(-1);
  if (first === undefined || last === undefined || last.at - first.at < shortest) return undefined;
  const shares = rows.map(({ long }) => long);
  return { mean: mean(shares), sd: standardDeviation(shares), at: last.at };
}

const zOf = (long: number, { mean, sd }: Usual): number => (sd > 0 ? (long - mean) / sd : 0);
