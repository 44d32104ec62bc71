import { z } from 'zod';
import type { Severity } from '../alert/alert.ts';
import { ratePer } from '../alert/rate-per.ts';
import { type FundingHours, fundingHours } from '../client/funding-hours.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { isCut, mostExtremes, yearlyPct } from '../contract/settlements.ts';
import { marketName, number, percent, rate as rateOf, time as timeOf, words } from '../language/format.ts';
import { msg, msgIn } from '../language/text.ts';
import { duration, msOf, second } from '../runtime/units.ts';
import { againstTheCrowd } from './kit/crowd.ts';
import type { Episode, Sample } from './kit/episode.ts';
import { defineEpisodes } from './kit/episodes.ts';
import {
  costs,
  type FundingFloor,
  fundingFloor,
  isRecent,
  minSpread,
  spreadIn8h,
  stale,
} from './kit/funding-floor.ts';
import { level, levelOf, levels, rank, severityOf, thresholds } from './kit/funding-level.ts';
import { type FundingPast, fundingChart, fundingPast } from './kit/funding-past.ts';

type Row = EndpointAnswer<'fundingExtremes'>['data'][number];
type Current = EndpointAnswer<'fundingCurrent'>['data'][number];

const options = z
  .object({
    enter: level.default('HIGH').describe('ELEVATED (z 1.5), HIGH (2), EXTREME (3)'),
    exit: level.default('ELEVATED').describe('ends below this level'),
    margin: z.number().min(0).max(0.4).default(0.25).describe('z below a level’s threshold before it eases'),
    floor: fundingFloor.describe('what funding must cost to be worth an alert'),
    majors: z
      .array(z.string())
      .default(['BTCUSDT', 'ETHUSDT'])
      .describe('HIGH is a warning, EXTREME critical'),
    dearPct: z
      .number()
      .min(0)
      .default(200)
      .describe(
        'percent a year from which EXTREME of others is a warning: in two settlements of 8 h more than both legs of the trade that collects it cost. All else of them is info',
      ),
    minSpread,
    calm: z
      .int()
      .min(1)
      .default(2)
      .describe('settlements in a row, cheap or below exit, before it has ended'),
    cooldown: duration
      .prefault('24h')
      .describe('after the settlement at which it ended, unless it is worse: three settlements of 8 h'),
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
    eases: (from, { note }) => Math.abs(note?.z ?? 0) < thresholds[levelOf[from]] - margin,
    keep: 0,
    news: true,
  }),
  sample(now) {
    const about = { since: now, severity: 'critical', peak: 'critical', seen: now, stands: null } as const;
    return {
      transition: {
        status: 'firing',
        side: 'OVERLEVERAGED_LONG',
        ...about,
        note: { z: 3.4, rate: 0.00081, time: now, dear: true },
      },
      seen: { key: 'BTCUSDT', samples: [], latest: undefined, hours: 8, gone: false, past: undefined },
    };
  },
  async observe({ data, state, options, signal }): Promise<Observation> {
    const [extremes, current, hours] = await Promise.all([
      data.fundingExtremes({ limit: mostExtremes.asked }, signal),
      data.fundingCurrent({}, signal),
      fundingHours(data, signal),
    ]);
    const settled = newlySettled(state?.values, extremes.data, hours, options);
    return { ...extremes, current: current.data, hours, past: await fundingPast(settled, data, signal) };
  },

  look({ data, count, current, hours, past }, { options, now, values }) {
    const rows = new Map(data.map((row) => [row.symbol, row]));
    const settled = new Map(
      current.filter(({ timestamp }) => isRecent(timestamp, now)).map((row) => [row.symbol, row]),
    );
    const tracked = new Set([...current, ...data].map(({ symbol }) => symbol));
    const cut = isCut({ data, count });
    const sight = (symbol: string): Settlement | undefined => {
      const row = rows.get(symbol);
      const period = hours.get(symbol);
      if (row !== undefined)
        return isRecent(row.timestamp, now)
          ? settlementOf(row, period, options, values[symbol]?.open ?? null)
          : undefined;
      const newest = settled.get(symbol);
      return newest === undefined ? undefined : unlisted(newest, cut, period, options.floor);
    };
    return [...new Set([...Object.keys(values), ...rows.keys()])].sort().map((key) => {
      // Others' settlements are told and its own are not: it is tracked no more.
      const gone = settled.size > 0 && !tracked.has(key) && now - (values[key]?.seen ?? now) > stale;
      const latest = gone ? undefined : sight(key);
      const samples = gone ? [{ at: now, side: null, strong: false, over: true }] : latest ? [latest] : [];
      return { key, samples, latest, hours: hours.get(key), gone, past };
    });
  },

  tell(
    { status, side: direction, severity, peak, note },
    { key: symbol, latest, hours, gone, past },
    { options: { calm, majors } },
  ) {
    const over = status === 'resolved';
    const side = direction.endsWith('SHORT') ? 'short' : 'long';
    const { z = 0, rate: last = 0, time = 0, dear = false } = note ?? {};
    const rate = latest?.rate ?? last;
    const perSettlement = ratePer(rate, hours);
    const score = number(z, 1);
    return {
      labels: { symbol, direction },
      // The end carries the worst it reached, so that whoever was told of that is told of the end.
      severity: urgencyOf(over ? peak : severity, dear, majors.includes(symbol)),
      title: over
        ? msg('{symbol} funding no longer {level}: {rate}', {
            symbol: marketName(symbol),
            level: words(levelOf[peak]),
            rate: perSettlement,
          })
        : msg('{symbol} funding {level}: {rate} (z {score})', {
            symbol: marketName(symbol),
            level: words(levelOf[severity]),
            rate: perSettlement,
            score,
          }),
      summary: over
        ? gone
          ? msg('The data service no longer reports this market.')
          : msg(
              'Funding has been near normal, or too cheap to matter, for {n, plural, one {# settlement} other {# settlements in a row}}.',
              { n: calm },
            )
        : side === 'long'
          ? msg('Longs pay shorts far more than usual over the last 30 days: longs are crowded.')
          : msg('Shorts pay longs far more than usual over the last 30 days: shorts are crowded.'),
      facts: [
        { name: msgIn('funding', 'Rate'), value: perSettlement },
        ...(hours === undefined
          ? []
          : [{ name: msg('Per year'), value: percent(yearlyPct(rate, hours), 1) }]),
        ...(latest?.mean === undefined ? [] : [{ name: msg('30-day mean'), value: rateOf(latest.mean) }]),
        ...(over ? [] : [{ name: msg('z-score'), value: score }]),
        { name: msg('Crowded side'), value: side === 'long' ? msg('longs') : msg('shorts') },
        { name: over ? msg('As of') : msg('Settled'), value: timeOf(latest?.at ?? time) },
      ],
      ...fundingChart(symbol, past, { time: latest?.at ?? time, rate }, marksOf(latest)),
      prominence: Math.abs(z),
      dataTime: latest?.at ?? time,
    };
  },
});

interface Observation extends EndpointAnswer<'fundingExtremes'> {
  readonly current: readonly Current[];
  readonly hours: FundingHours;
  readonly past?: FundingPast;
}

/** Those with a new settlement that begin, get worse or end by it: the most extreme first. */
const newlySettled = (
  known: Readonly<Record<string, Episode<Note>>> | undefined,
  rows: readonly Row[],
  hours: FundingHours,
  options: Options,
): string[] =>
  known === undefined
    ? []
    : rows
        .filter((row) => msOf(row.timestamp) > (known[row.symbol]?.seen ?? 0))
        .filter((row) => {
          const open = known[row.symbol]?.open ?? null;
          const seen = settlementOf(row, hours.get(row.symbol), options, open);
          if (open === null) return seen.strong;
          return seen.severity !== open.severity || seen.renew === true;
        })
        .sort((a, b) => Math.abs(b.zScore) - Math.abs(a.zScore))
        .map(({ symbol }) => symbol);

/** Its mean, and the rate at which it would be HIGH: as far from that as its z says. */
function marksOf(seen: Settlement | undefined): Parameters<typeof fundingChart>[3] {
  const { note, rate, mean } = seen ?? {};
  if (note === undefined || rate === undefined || mean === undefined || note.z === 0) return [];
  const high = mean + ((rate - mean) / Math.abs(note.z)) * thresholds.HIGH;
  return [
    { name: msg('30-day mean'), value: mean },
    { name: msg('high from'), value: high },
  ];
}

/** Of those that are not everyone's, only what is worth a trade by itself. */
const urgencyOf = (reached: Severity, dear: boolean, major: boolean): Severity =>
  major ? reached : reached === severityOf.EXTREME && dear ? 'warning' : 'info';

function settlementOf(
  row: Row,
  hours: number | undefined,
  options: Options,
  open: Episode<Note>['open'],
): Settlement {
  const { direction: side, currentRate: rate, avg30dRate: mean, zScore: z } = row;
  const at = msOf(row.timestamp);
  const reached =
    // A level this version does not know is placed by its z.
    level.safeParse(row.severity).data ??
    levels.findLast((name) => Math.abs(z) > thresholds[name]) ??
    'ELEVATED';
  const counts =
    rank(reached) >= rank(options.exit) &&
    costs(rate, hours, options.floor) &&
    spreadIn8h(row, hours) >= options.minSpread;
  if (!counts) return { at, side: null, strong: false, rate };
  const wasDear = open?.side === side && open.note?.dear === true;
  const dear = reached === 'EXTREME' && costs(rate, hours, { yearlyPct: options.dearPct, offResting: 0 });
  return {
    at,
    side,
    strong: rank(reached) >= rank(options.enter),
    severity: severityOf[reached],
    renew: dear && !wasDear,
    note: { z, rate, time: at, dear: dear || wasDear },
    rate,
    mean,
  };
}

/** A market that the answer does not hold, by its newest settlement. */
function unlisted(
  { rate: given, timestamp }: Current,
  cut: boolean,
  hours: number | undefined,
  floor: FundingFloor,
): Settlement | undefined {
  const rate = Number(given);
  return cut && costs(rate, hours, floor)
    ? undefined
    : { at: msOf(timestamp), side: null, strong: false, rate };
}
