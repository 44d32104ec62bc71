import { z } from 'zod';
import { type Severity, severities, severityRank } from '../alert/alert.ts';
import { ratePer } from '../alert/rate-per.ts';
import type { FundingHours } from '../client/funding-hours.ts';
import { isTruncated } from '../contract/settlements.ts';
import { marketName, number, rate as rateOf, time as timeOf, words } from '../language/format.ts';
import { msg, type Text, type Values } from '../language/text.ts';
import { second } from '../runtime/units.ts';
import {
  againstTheCrowd,
  defineEpisodes,
  hasTurned,
  lostData,
  type OptionsOf,
  setting,
} from './kit/define-episodes.ts';
import type { Episode, Sample } from './kit/episode.ts';
import * as funding from './kit/funding.ts';

/** |z| above which each level begins, as in /funding/extremes: from mild to severe, as many as there are severities. */
const thresholds = { ELEVATED: 1.5, HIGH: 2, EXTREME: 3 } as const;
type Level = keyof typeof thresholds;
const levels = Object.keys(thresholds) as Level[];
const level = z.enum(levels);
const rank = (value: Level): number => levels.indexOf(value);
/** Returns the level that has this severity for a major market. */
const levelOf = (severity: Severity): Level => levels[severityRank(severity)] ?? 'EXTREME';

const options = {
  enter: level.default('HIGH').describe('ELEVATED (z 1.5), HIGH (2), EXTREME (3)'),
  exit: level.default('ELEVATED').describe('ends below this level'),
  margin: setting.number(0.25, 'z below a level’s threshold before it eases', '[0, 0.4]'),
  floor: funding.floorSetting.describe('what funding must cost to be worth an alert'),
  majors: setting.majors('HIGH is a warning, EXTREME critical'),
  dearPct: setting.number(
    200,
    'percent a year from which EXTREME of others is a warning: in two settlements of 8 h more than both legs of the trade that collects it cost. All else of them is info',
  ),
  minSpread: funding.minSpreadSetting,
  calm: setting.integer(2, 'settlements in a row, cheap or below exit, before it has ended'),
  wave: setting.duration(
    '9h',
    'what stands out on the same side in another market within this of the last joins its post: until a settlement of 8 h brings no more',
  ),
  cooldown: setting.duration(
    '24h',
    'after the settlement at which it ended, unless it is worse: three settlements of 8 h',
  ),
};

/** The last settlement at which funding stood out on the episode's side. */
const note = z.object({
  z: z.number(),
  rate: z.number(),
  time: z.number(),
  /** Funding has been EXTREME in this episode at a rate of at least `dearPct`, which makes it worth an alert for any market. */
  dear: z.boolean(),
});
type Note = z.output<typeof note>;

/** One settlement of a market as a sample. `mean` is known if the settlement stands out. */
interface Settlement extends Sample<Note> {
  readonly rate: number;
  readonly mean?: number;
}

/**
 * Alerts when funding costs enough to act on and stands out against the market's own last 30 days. An episode begins at
 * `enter`, escalates and eases between levels, and ends after `calm` settlements at which funding is below `exit` or
 * too cheap. A symbol missing from an answer that was cut at its limit is unknown, unless its rate is too cheap; a
 * symbol missing from a whole answer is calm at its newest settlement.
 */
export default defineEpisodes({
  name: 'funding-extreme',
  description: msg('A market’s funding is extreme against its own last 30 days'),
  preset: 'standard',
  smallest: funding.smallest,
  prediction: againstTheCrowd('direction'),
  schedule: '20 */5 * * * *',
  cost: 'two requests, of all symbols',
  groupWait: 30 * second,
  options,
  check: [({ enter, exit }) => rank(exit) <= rank(enter), 'exit must not be a higher level than enter'],
  note,
  rules: ({ margin, ...options }) => ({
    ...options,
    breaks: 'worse',
    eases: (from, { note }) => Math.abs(note?.z ?? 0) < thresholds[levelOf(from)] - margin,
    keep: 0,
    news: true,
  }),
  wave: ({ wave: length }) => ({ length, sideOf: ({ labels }) => labels.direction ?? '' }),
  sample: (time) => {
    const note = { z: 3.4, rate: 0.00081, time, dear: true };
    return {
      transition: { side: 'OVERLEVERAGED_LONG', severity: 'critical', note },
      seen: { key: 'BTCUSDT', latest: undefined, hours: 8, gone: undefined, past: new Map() },
    };
  },
  async observe({ data, state, options, signal }) {
    const { extremes, ...rest } = await funding.askRates(data, signal);
    const known = state && { hours: rest.hours, options, values: state.values };
    const settled = known ? newlySettled(extremes.data, known) : [];
    return { ...extremes, ...rest, past: await funding.askPast(settled, data, signal) };
  },

  look({ data, count, current, hours, past }, { options, now, values }) {
    const rows = new Map(data.map((row) => [row.symbol, row]));
    const settled = current.filter(({ timestamp }) => funding.isRecent(timestamp, now));
    const newest = new Map(settled.map((row) => [row.symbol, row]));
    const tracked = new Set([...current, ...data].map(({ symbol }) => symbol));
    const isCut = isTruncated({ data, count });
    const settlementFor = (symbol: string): Settlement | undefined => {
      const row = rows.get(symbol);
      if (row !== undefined)
        return funding.isRecent(row.timestamp, now)
          ? settlementOf(row, { hours, options, values })
          : undefined;
      // A symbol that is missing from the extremes is judged by its newest settlement.
      const { rate: given, timestamp } = newest.get(symbol) ?? {};
      const rate = Number(given);
      const mayBeCut = isCut && funding.costsEnough(rate, { ...options, hours: hours.get(symbol) });
      return timestamp === undefined || mayBeCut
        ? undefined
        : { at: Date.parse(timestamp), side: null, rate };
    };
    const seen = [...new Set([...Object.keys(values), ...rows.keys()])].sort().map((key) => {
      // If there are settlements of other markets but none of this one, the service no longer tracks it.
      const isGone =
        settled.length > 0 && !tracked.has(key) && now - (values[key]?.seen ?? now) > funding.staleAfter;
      const latest = isGone ? undefined : settlementFor(key);
      const samples = latest ? [latest] : [];
      return { key, samples, latest, hours: hours.get(key), gone: isGone ? now : undefined, past };
    });
    // The service names the extremes alone: in a calm market there are none to follow.
    return { seen, able: settled.length > 0 };
  },

  labelsOf: (symbol, direction) => ({ symbol, direction }),

  tell(transition, { seen, options: { calm, majors } }) {
    const { ended, side: direction, severity, peak, note } = transition;
    const { key: symbol, latest, hours, gone, past } = seen;
    const short = direction.endsWith('SHORT');
    const { z = 0, rate: last = 0, time: settled = 0, dear = false } = note ?? {};
    const { rate = last, at: time = settled, mean } = latest ?? {};
    // The end has the worst severity that was reached, so that everyone who got such an alert also gets its end.
    const reached = ended ? peak : severity;
    const level = levelOf(reached);
    const values = { symbol: marketName(symbol), rate: ratePer(rate, hours), score: number(z, 1) };
    return {
      severity: urgencyOf(reached, { dear, major: majors.includes(symbol) }),
      title: titleOf({ ...values, level: short ? level : words(level) }, { ended, short }),
      summary: ended ? endOf(calm, hasTurned(transition, seen)) : crowdOf(short),
      facts: [
        ...funding.rateFacts(rate, hours),
        mean !== undefined && [msg('30-day mean'), rateOf(mean)],
        !ended && [msg('z-score'), values.score],
        [msg('Crowded side'), short ? msg('shorts') : msg('longs')],
        [ended ? msg('As of') : msg('Settled'), timeOf(time)],
      ],
      picture: funding.pictureOf(symbol, { past, time, rate, levels: marksOf(latest) }),
      prominence: Math.abs(z),
      dataTime: time,
      ...(gone !== undefined && lostData(marketName(symbol), time)),
    };
  },
});

/** Returns the title. A negative rate that stands out is not called high. */
function titleOf(values: Values, { ended, short }: Record<'ended' | 'short', boolean>): Text {
  if (!short)
    return ended
      ? msg('{symbol} funding no longer {level}: {rate}', values)
      : msg('{symbol} funding {level}: {rate} (z {score})', values);
  return ended
    ? msg(
        '{symbol} funding no longer {level, select, ELEVATED {unusually} HIGH {very} other {extremely}} negative: {rate}',
        values,
      )
    : msg(
        '{symbol} funding {level, select, ELEVATED {unusually} HIGH {very} other {extremely}} negative: {rate} (z {score})',
        values,
      );
}

function endOf(calm: number, turned: boolean): Text {
  return turned
    ? msg('Funding now stands out on the other side.')
    : msg(
        'Funding has been near normal, or too cheap to matter, for {n, plural, one {# settlement} other {# settlements in a row}}.',
        { n: calm },
      );
}

const crowdOf = (short: boolean): Text =>
  short
    ? msg('Shorts pay longs far more than usual over the last 30 days: shorts are crowded.')
    : msg('Longs pay shorts far more than usual over the last 30 days: longs are crowded.');

/** What a settlement is judged by, besides its own row. */
interface Known {
  readonly hours: FundingHours;
  readonly options: OptionsOf<typeof options>;
  readonly values: Readonly<Record<string, Episode<Note>>>;
}

/** Returns the symbols with a new settlement that begins, changes or ends an episode, the most extreme first. */
const newlySettled = (rows: readonly funding.ExtremeRow[], known: Known): string[] =>
  rows
    .filter((row) => {
      const { seen = 0, open = null } = known.values[row.symbol] ?? {};
      const next = settlementOf(row, known);
      const isNews = open === null ? next.strong : next.severity !== open.severity || next.renew === true;
      return isNews && next.at > seen;
    })
    .sort((a, b) => Math.abs(b.zScore) - Math.abs(a.zScore))
    .map(({ symbol }) => symbol);

/** Returns the levels for the chart: the 30-day mean and, by the rate and its z-score, the rate from which it is HIGH. */
function marksOf({ note, rate = 0, mean }: Partial<Settlement> = {}): funding.MarkedRates {
  if (note === undefined || mean === undefined || note.z === 0) return [];
  const high = mean + ((rate - mean) / Math.abs(note.z)) * thresholds.HIGH;
  return [
    [msg('30-day mean'), mean],
    [high < mean ? msg('very negative from') : msg('high from'), high],
  ];
}

/** Returns the severity of an alert. A market that is no major has a warning only if its funding is EXTREME and dear. */
const urgencyOf = (reached: Severity, { dear, major }: Record<'dear' | 'major', boolean>): Severity =>
  major ? reached : reached === 'critical' && dear ? 'warning' : 'info';

function settlementOf(row: funding.ExtremeRow, { hours: all, options, values }: Known): Settlement {
  const { symbol, direction: side, currentRate: rate, avg30dRate: mean, zScore: z } = row;
  const hours = all.get(symbol);
  const at = Date.parse(row.timestamp);
  // A level that this version does not know is replaced by the one that belongs to the z-score.
  const levelByScore = levels.findLast((name) => Math.abs(z) > thresholds[name]) ?? 'ELEVATED';
  const reached = level.safeParse(row.severity).data ?? levelByScore;
  const isStandout = rank(reached) >= rank(options.exit) && funding.standsOut(row, { ...options, hours });
  if (!isStandout) return { at, side: null, rate };
  const open = values[symbol]?.open;
  const wasDear = open?.side === side && open.note?.dear === true;
  const dearFloor = { yearlyPct: options.dearPct, offResting: 0 };
  const dear = reached === 'EXTREME' && funding.costsEnough(rate, { hours, floor: dearFloor });
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
