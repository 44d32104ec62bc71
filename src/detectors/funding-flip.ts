import { z } from 'zod';
import type { Change } from '../alert/alert.ts';
import { ratePer } from '../alert/rate-per.ts';
import { type FundingHours, fundingHours } from '../client/funding-hours.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { yearlyPct } from '../contract/settlements.ts';
import { count, marketName, percent, time as timeOf } from '../language/format.ts';
import { msg, msgIn } from '../language/text.ts';
import { day, duration, hour, second } from '../runtime/units.ts';
import { defineDetector } from './detector.ts';
import { costs, fundingFloor } from './kit/funding-floor.ts';
import { type FundingPast, fundingChart, fundingPast } from './kit/funding-past.ts';

/** What has not settled for this long is not listed any more: settlements are 8 h apart at most. */
const forgotten = 7 * day;
/** A settlement older than this is not the most recent one: the symbol is unknown. */
const stale = 8 * hour + hour;

const sides = ['POSITIVE', 'NEGATIVE'] as const;
type Side = (typeof sides)[number];

const followed = z.object({
  /** Settlement it was last seen at. */
  time: z.number(),
  /** Confirmed; null: never yet on a side. */
  side: z.enum(sides).nullable(),
  /** Settlements on `side` since it was confirmed, those about zero among them not counted. */
  stood: z.int(),
  /** Settlements in a row on the other side. */
  against: z.int(),
  /** The last rate on `side`. */
  rate: z.number(),
  /** The flip that has not settled. `told`: people know of it; before, it costs too little. */
  flip: z
    .object({ to: z.enum(sides), from: z.number(), at: z.number(), told: z.boolean(), calm: z.int() })
    .nullable(),
  /** Settlement at which the last one that was told ended. */
  endedAt: z.number().nullable(),
});
type Followed = z.output<typeof followed>;

const options = z.object({
  minRate: z
    .number()
    .positive()
    .max(0.01)
    .default(0.00005)
    .describe('per settlement; nearer to zero is on no side (the resting rate is 0.0001)'),
  confirm: z.int().min(1).default(3).describe('settlements in a row on the new side'),
  stood: z
    .int()
    .min(1)
    .default(9)
    .describe('settlements on the old side before, so that it meant something: 3 days'),
  floor: fundingFloor.describe(
    'what the new side must cost once, before it is settled, to be worth an alert',
  ),
  calm: z
    .int()
    .min(1)
    .default(2)
    .describe('settlements in a row, cheap or on the other side, before it has ended'),
  settle: duration.prefault('24h').describe('a flip that has stood this long is settled'),
  cooldown: duration
    .prefault('24h')
    .describe('after the settlement at which one ended, no other of the market'),
  majors: z
    .array(z.string())
    .default(['BTCUSDT', 'ETHUSDT'])
    .describe('their flips are warnings, those of others info'),
});

interface Settlement {
  readonly rate: number;
  readonly time: number;
}

/**
 * Funding that changes its sign and stays: longs paid shorts, now shorts pay longs, or the reverse (interface:
 * a positive rate is paid by longs). Both sides need `minRate`, which keeps those that hover around zero out, and the new
 * one must come to cost `floor`. Each flip is one alert with labels `{ kind, symbol, to }`, which ends after `calm`
 * settlements that cost less or are on the other side, or once it has stood for `settle`.
 * A symbol that the answer does not hold is unknown.
 */
export default defineDetector({
  name: 'funding-flip',
  description: msg('A market’s funding flips sign and stays flipped'),
  preset: 'standard',
  schedule: '20 */5 * * * *',
  cost: 'one request for all symbols',
  groupWait: 30 * second,
  options,
  state: z.object({ symbols: z.record(z.string(), followed) }),
  async observe({ data, state, options, signal }) {
    const [{ data: rows }, hours] = await Promise.all([
      data.fundingCurrent({}, signal),
      fundingHours(data, signal),
    ]);
    const told = rows.filter((row) => mayBeTold(state?.symbols[row.symbol], row, options));
    const past = await fundingPast(
      told.map(({ symbol }) => symbol),
      data,
      signal,
    );
    return { rows, hours, past };
  },

  step(state, { rows, hours, past: settlements }: Observation, { options, now }) {
    const symbols = Object.fromEntries(
      Object.entries(state?.symbols ?? {}).filter(([, { time }]) => now - time < forgotten),
    );
    const changes: Change[] = [];
    for (const { symbol, rate, timestamp } of rows) {
      const seen = { rate: Number(rate), time: Date.parse(timestamp) };
      const past = symbols[symbol];
      if (!(seen.time <= now && now - seen.time <= stale) || seen.time <= (past?.time ?? 0)) continue;
      if (!Number.isFinite(seen.rate)) continue;
      const period = hours.get(symbol);
      const { next, told } = follow(
        past,
        { ...seen, costs: costs(seen.rate, period, options.floor) },
        options,
      );
      symbols[symbol] = next;
      for (const [status, flip] of told) {
        const severity = options.majors.includes(symbol) ? 'warning' : 'info';
        const labels = { kind: 'funding-flip', symbol, to: flip.to };
        changes.push({
          status,
          labels,
          severity,
          annotations: annotate(status, symbol, flip, { ...seen, hours: period, past: settlements }, options),
        });
      }
    }
    return { state: { symbols }, changes };
  },
});

type Row = EndpointAnswer<'fundingCurrent'>['data'][number];

interface Observation {
  readonly rows: readonly Row[];
  readonly hours: FundingHours;
  readonly past?: FundingPast;
}

/** A settlement that may confirm or end a flip. */
function mayBeTold(past: Followed | undefined, { timestamp }: Row, { confirm }: Rules): boolean {
  if (past === undefined || Date.parse(timestamp) <= past.time) return false;
  return past.flip !== null || past.against + 1 >= confirm;
}

type Flip = NonNullable<Followed['flip']>;
type Told = readonly ['firing' | 'resolved', Flip];

type Rules = z.output<typeof options>;

function follow(
  past: Followed | undefined,
  { rate, time, costs }: Settlement & { readonly costs: boolean },
  rules: Rules,
): { readonly next: Followed; readonly told: readonly Told[] } {
  const side: Side | null = Math.abs(rate) < rules.minRate ? null : rate > 0 ? 'POSITIVE' : 'NEGATIVE';
  if (past === undefined || past.side === null) {
    const none = { flip: null, endedAt: null };
    return { next: { time, side, stood: side === null ? 0 : 1, against: 0, rate, ...none }, told: [] };
  }
  const against = side === null || side === past.side ? 0 : past.against + 1;
  const turned = side !== null && against >= rules.confirm;
  const meant = past.stood >= rules.stood;
  const begun = turned && meant ? { to: side, from: past.rate, at: time, told: false, calm: 0 } : null;
  const before = turned ? begun : past.flip;
  const after = (endedAt: number | null): Flip | null => {
    const held = endedAt !== null && time - endedAt < rules.cooldown;
    const off = side !== before?.to || !costs;
    return before && goOn(before, { time, off, held }, rules);
  };
  const wasTold = past.flip?.told === true;
  const ended = wasTold && (turned || after(past.endedAt) === null);
  const endedAt = ended ? time : past.endedAt;
  const flip = after(endedAt);
  const kept = turned
    ? { side, stood: against, rate }
    : side === past.side
      ? { side, stood: past.stood + 1, rate }
      : { side: past.side, stood: past.stood, rate: past.rate };
  return {
    next: { time, ...kept, against: turned ? 0 : against, flip, endedAt },
    told: [
      ...(ended && past.flip !== null ? [['resolved', past.flip] as const] : []),
      ...(flip?.told === true && (turned || !wasTold) ? [['firing', flip] as const] : []),
    ],
  };
}

/** The flip after one more settlement, from which on it may be told; null: it has ended. */
function goOn(
  flip: Flip,
  { time, off, held }: { readonly time: number; readonly off: boolean; readonly held: boolean },
  { settle, calm }: Rules,
): Flip | null {
  const count = off ? flip.calm + 1 : 0;
  if (time - flip.at >= settle || (flip.told && count >= calm)) return null;
  return flip.told || off || held ? { ...flip, calm: count } : { ...flip, told: true, at: time, calm: 0 };
}

function annotate(
  status: Told[0],
  symbol: string,
  { to, from }: Flip,
  {
    rate,
    time,
    hours,
    past,
  }: Settlement & { readonly hours: number | undefined; readonly past: FundingPast | undefined },
  { confirm, minRate, floor }: Rules,
): Change['annotations'] {
  const now = ratePer(rate, hours);
  const back = Math.abs(rate) >= minRate && rate > 0 !== (to === 'POSITIVE');
  return {
    title:
      status === 'firing'
        ? to === 'NEGATIVE'
          ? msg('{symbol} funding turned negative: {rate}', { symbol: marketName(symbol), rate: now })
          : msg('{symbol} funding turned positive: {rate}', { symbol: marketName(symbol), rate: now })
        : back
          ? msg(
              '{symbol} funding turned {side, select, POSITIVE {positive} other {negative}} again: {rate}',
              { symbol: marketName(symbol), side: to === 'POSITIVE' ? 'NEGATIVE' : 'POSITIVE', rate: now },
            )
          : costs(rate, hours, floor)
            ? msg('{symbol} funding still {side, select, POSITIVE {positive} other {negative}}: {rate}', {
                symbol: marketName(symbol),
                side: to,
                rate: now,
              })
            : msg('{symbol} funding near zero again: {rate}', { symbol: marketName(symbol), rate: now }),
    summary:
      (to === 'NEGATIVE') !== back
        ? msg('Shorts pay longs now; before, longs paid shorts.')
        : msg('Longs pay shorts now; before, shorts paid longs.'),
    facts: [
      { name: msgIn('funding', 'Rate'), value: now },
      ...(hours === undefined ? [] : [{ name: msg('Per year'), value: percent(yearlyPct(rate, hours), 1) }]),
      { name: msg('Before the flip'), value: ratePer(from, hours) },
      ...(status === 'firing' ? [{ name: msg('Settlements in a row'), value: count(confirm) }] : []),
      { name: msg('Settled'), value: timeOf(time) },
    ],
    ...fundingChart(symbol, past, { time, rate }, [
      to === 'NEGATIVE'
        ? { name: msg('negative from'), value: -minRate }
        : { name: msg('positive from'), value: minRate },
    ]),
    prominence: Math.abs(rate),
    dataTime: time,
  };
}
