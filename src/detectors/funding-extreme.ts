import { z } from 'zod';
import { type Severity, severities, severityRank } from '../alert/alert.ts';
import { ratePer } from '../alert/rate-per.ts';
import type { FundingHours } from '../client/funding-hours.ts';
import { isCut } from '../contract/settlements.ts';
import { marketName, number, rate as rateOf, time as timeOf, words } from '../language/format.ts';
import { msg, type Text } from '../language/text.ts';
import { msOf, second } from '../runtime/units.ts';
import type { Episode, Sample } from './kit/episode.ts';
import { againstTheCrowd, defineEpisodes } from './kit/episodes.ts';
import {
  askFunding,
  costs,
  type ExtremeRow,
  fundingFloor,
  fundingPast,
  fundingPicture,
  isRecent,
  type MarkedRates,
  minSpread,
  rateFacts,
  recentUntil,
  stale,
  standsOut,
} from './kit/funding.ts';
import { lasting, majors, setting, whole } from './kit/settings.ts';

/** |z| above which each level begins, as the interface says; as many as there are severities, the mildest first. */
const thresholds = { ELEVATED: 1.5, HIGH: 2, EXTREME: 3 } as const;
type Level = keyof typeof thresholds;
const levels = Object.keys(thresholds) as Level[];
const level = z.enum(levels);
const rank = (value: Level): number => levels.indexOf(value);
/** The level that is so urgent where it is everyone's news. */
const levelOf = (severity: Severity): Level => levels[severityRank(severity)] ?? 'EXTREME';

const options = z
  .object({
    enter: level.default('HIGH').describe('ELEVATED (z 1.5), HIGH (2), EXTREME (3)'),
    exit: level.default('ELEVATED').describe('ends below this level'),
    margin: setting(0.25, 'z below a level’s threshold before it eases', '[0, 0.4]'),
    floor: fundingFloor.describe('what funding must cost to be worth an alert'),
    majors: majors('HIGH is a warning, EXTREME critical'),
    dearPct: setting(
      200,
      'percent a year from which EXTREME of others is a warning: in two settlements of 8 h more than both legs of the trade that collects it cost. All else of them is info',
    ),
    minSpread,
    calm: whole(2, 'settlements in a row, cheap or below exit, before it has ended'),
    cooldown: lasting(
      '24h',
      'after the settlement at which it ended, unless it is worse: three settlements of 8 h',
    ),
  })
  .refine(({ enter, exit }) => rank(exit) <= rank(enter), 'exit must not be a higher level than enter');
type Options = z.output<typeof options>;

/** Of the last settlement at which it stood out. */
const note = z.object({
  z: z.number(),
  rate: z.number(),
  time: z.number(),
  /** It has cost so much while EXTREME that anyone may act on it. */
  dear: z.boolean(),
});
type Note = z.output<typeof note>;

/** One settlement of a market, and how it stands out; `mean` is known where it does. */
interface Settlement extends Sample<Note> {
  readonly rate: number;
  readonly mean?: number;
}

/**
 * Funding that costs enough to act on and stands out against its own last 30 days: enters at `enter`, escalates and
 * eases between levels, and ends after `calm` settlements at which it is below `exit` or too cheap. A symbol missing
 * from an answer that was cut at its limit is unknown, unless its rate is too cheap; one missing from a whole answer
 * is calm at its newest settlement.
 */
export default defineEpisodes({
  name: 'funding-extreme',
  description: msg('A market’s funding is extreme against its own last 30 days'),
  preset: 'standard',
  claim: againstTheCrowd('direction'),
  schedule: '20 */5 * * * *',
  cost: 'two requests, of all symbols',
  groupWait: 30 * second,
  options,
  note,
  rules: ({ margin, ...options }) => ({
    ...options,
    breaks: 'worse',
    eases: (from, { note }) => Math.abs(note?.z ?? 0) < thresholds[levelOf(from)] - margin,
    keep: 0,
    news: true,
  }),
  sample: (now) => ({
    transition: {
      side: 'OVERLEVERAGED_LONG',
      severity: 'critical',
      note: { z: 3.4, rate: 0.00081, time: now, dear: true },
    },
    seen: { key: 'BTCUSDT', latest: undefined, hours: 8, gone: false, past: new Map() },
  }),
  async observe({ data, state, options, signal }) {
    const { extremes, ...rest } = await askFunding(data, signal);
    const known = state && { hours: rest.hours, options, values: state.values };
    const settled = known ? newlySettled(extremes.data, known) : [];
    return { ...extremes, ...rest, past: await fundingPast(settled, { data, signal }) };
  },

  steady({ data, current }, { state: { values }, options: { cooldown }, now }) {
    // Then a market is gone, or the same settlement may begin what has cooled down.
    const times = Object.values(values).flatMap(({ seen, last }) => [
      seen + stale + 1,
      (last?.at ?? Number.NaN) + cooldown,
    ]);
    return Math.min(recentUntil([...data, ...current], now), ...times.filter((time) => time > now));
  },

  look({ data, count, current, hours, past }, { options, now, values }) {
    const rows = new Map(data.map((row) => [row.symbol, row]));
    const settled = current.filter(({ timestamp }) => isRecent(timestamp, now));
    const newest = new Map(settled.map((row) => [row.symbol, row]));
    const tracked = new Set([...current, ...data].map(({ symbol }) => symbol));
    const cut = isCut({ data, count });
    const sight = (symbol: string): Settlement | undefined => {
      const row = rows.get(symbol);
      if (row !== undefined)
        return isRecent(row.timestamp, now) ? settlementOf(row, { hours, options, values }) : undefined;
      // One that the answer does not hold is seen by its newest settlement.
      const { rate: given, timestamp } = newest.get(symbol) ?? {};
      const rate = Number(given);
      if (timestamp === undefined || (cut && costs(rate, { ...options, hours: hours.get(symbol) })))
        return undefined;
      return { at: msOf(timestamp), side: null, strong: false, rate };
    };
    return [...new Set([...Object.keys(values), ...rows.keys()])].sort().map((key) => {
      // Others' settlements are told and its own are not: it is tracked no more.
      const gone = settled.length > 0 && !tracked.has(key) && now - (values[key]?.seen ?? now) > stale;
      const latest = gone ? undefined : sight(key);
      const samples = gone ? [{ at: now, side: null, strong: false, over: true }] : latest ? [latest] : [];
      return { key, samples, latest, hours: hours.get(key), gone, past };
    });
  },

  tell({ over, side: direction, severity, peak, note }, { seen, options: { calm, majors } }) {
    const { key: symbol, latest, hours, gone, past } = seen;
    const short = direction.endsWith('SHORT');
    const { z = 0, rate: last = 0, time: settled = 0, dear = false } = note ?? {};
    const { rate = last, at: time = settled, mean } = latest ?? {};
    const values = { symbol: marketName(symbol), rate: ratePer(rate, hours), score: number(z, 1) };
    return {
      labels: { symbol, direction },
      // The end carries the worst it reached, so that whoever was told of that is told of the end.
      severity: urgencyOf(over ? peak : severity, { dear, major: majors.includes(symbol) }),
      title: titleOf(values, { over, short, level: levelOf(over ? peak : severity) }),
      summary: over ? endOf(gone, calm) : crowdOf(short),
      facts: [
        ...rateFacts(rate, hours),
        mean !== undefined && [msg('30-day mean'), rateOf(mean)],
        !over && [msg('z-score'), values.score],
        [msg('Crowded side'), short ? msg('shorts') : msg('longs')],
        [over ? msg('As of') : msg('Settled'), timeOf(time)],
      ],
      picture: fundingPicture(symbol, { past, time, rate, levels: marksOf(latest) }),
      prominence: Math.abs(z),
      dataTime: time,
    };
  },
});

/** A negative rate that stands out is not a high one. */
function titleOf(
  values: { readonly symbol: string; readonly rate: Text; readonly score: Text },
  { over, short, level }: { readonly over: boolean; readonly short: boolean; readonly level: Level },
): Text {
  if (!short) {
    const said = { ...values, level: words(level) };
    return over
      ? msg('{symbol} funding no longer {level}: {rate}', said)
      : msg('{symbol} funding {level}: {rate} (z {score})', said);
  }
  const said = { ...values, level };
  return over
    ? msg(
        '{symbol} funding no longer {level, select, ELEVATED {unusually} HIGH {very} other {extremely}} negative: {rate}',
        said,
      )
    : msg(
        '{symbol} funding {level, select, ELEVATED {unusually} HIGH {very} other {extremely}} negative: {rate} (z {score})',
        said,
      );
}

const endOf = (gone: boolean, calm: number): Text =>
  gone
    ? msg('The data service no longer reports this market.')
    : msg(
        'Funding has been near normal, or too cheap to matter, for {n, plural, one {# settlement} other {# settlements in a row}}.',
        { n: calm },
      );

const crowdOf = (short: boolean): Text =>
  short
    ? msg('Shorts pay longs far more than usual over the last 30 days: shorts are crowded.')
    : msg('Longs pay shorts far more than usual over the last 30 days: longs are crowded.');

/** What is known of the markets before a settlement is judged. */
interface Known {
  readonly hours: FundingHours;
  readonly options: Options;
  readonly values: Readonly<Record<string, Episode<Note>>>;
}

/** Those with a new settlement that begin, get worse or end by it: the most extreme first. */
const newlySettled = (rows: readonly ExtremeRow[], known: Known): string[] =>
  rows
    .filter((row) => {
      const { seen = 0, open = null } = known.values[row.symbol] ?? {};
      const next = settlementOf(row, known);
      const news = open === null ? next.strong : next.severity !== open.severity || next.renew === true;
      return news && next.at > seen;
    })
    .sort((a, b) => Math.abs(b.zScore) - Math.abs(a.zScore))
    .map(({ symbol }) => symbol);

/** Its mean, and the rate from which it is HIGH: as far from that as its z says. */
function marksOf({ note, rate = 0, mean }: Partial<Settlement> = {}): MarkedRates {
  if (note === undefined || mean === undefined || note.z === 0) return [];
  const high = mean + ((rate - mean) / Math.abs(note.z)) * thresholds.HIGH;
  return [
    [msg('30-day mean'), mean],
    [high < mean ? msg('very negative from') : msg('high from'), high],
  ];
}

/** Of those that are not everyone's, only what is worth a trade by itself. */
const urgencyOf = (reached: Severity, { dear, major }: Record<'dear' | 'major', boolean>): Severity =>
  major ? reached : reached === 'critical' && dear ? 'warning' : 'info';

function settlementOf(row: ExtremeRow, { hours: all, options, values }: Known): Settlement {
  const { symbol, direction: side, currentRate: rate, avg30dRate: mean, zScore: z } = row;
  const hours = all.get(symbol);
  const open = values[symbol]?.open;
  const at = msOf(row.timestamp);
  // A level this version does not know is placed by its z.
  const placed = levels.findLast((name) => Math.abs(z) > thresholds[name]) ?? 'ELEVATED';
  const reached = level.safeParse(row.severity).data ?? placed;
  const stands = rank(reached) >= rank(options.exit) && standsOut(row, { ...options, hours });
  if (!stands) return { at, side: null, strong: false, rate };
  const wasDear = open?.side === side && open.note?.dear === true;
  const dear =
    reached === 'EXTREME' && costs(rate, { hours, floor: { yearlyPct: options.dearPct, offResting: 0 } });
  return {
    at,
    side,
    strong: rank(reached) >= rank(options.enter),
    severity: severities[rank(reached)] ?? 'critical',
    renew: dear && !wasDear,
    note: { z, rate, time: at, dear: dear || wasDear },
    rate,
    mean,
  };
}
