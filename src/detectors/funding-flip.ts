import { z } from 'zod';
import { ratePer } from '../alert/rate-per.ts';
import { askFundingHours } from '../client/funding-hours.ts';
import { count, marketName, time as timeOf } from '../language/format.ts';
import { msg, type Text, type Values } from '../language/text.ts';
import { day, second } from '../runtime/units.ts';
import { agreedSchema, nextAgreed } from './kit/agreed.ts';
import { defineEpisodes, setting } from './kit/define-episodes.ts';
import * as funding from './kit/funding.ts';

/** A market that has not settled for this long is no longer listed: settlements are 8 h apart at most. */
const forgetAfter = 7 * day;

const side = z.enum(['POSITIVE', 'NEGATIVE']);
type Side = z.output<typeof side>;

const followed = z.object({
  side: agreedSchema(side),
  /** How many settlements the side has stood for. Those near zero do not count. */
  stood: z.int(),
  rate: z.number(),
  /** The flip that has not settled yet: the last rate before it, and when it was confirmed. */
  flip: z.object({ from: z.number(), at: z.number() }).nullable(),
});
type Followed = z.output<typeof followed>;

/**
 * Alerts when funding changes its sign and stays: longs paid shorts, now shorts pay longs, or the reverse (interface
 * specification: a positive rate is paid by longs). A rate is on a side from `minRate` on, which keeps out markets that
 * hover around zero, and the rate on the new side must come to cost `floor`. Each flip is one alert with labels `{
 * kind, symbol, to }`, which ends after `calm` settlements that cost less or are on the other side, or once the flip
 * has stood for `settle`. A symbol that the answer does not hold is unknown.
 */
export default defineEpisodes({
  name: 'funding-flip',
  description: msg('A market’s funding flips sign and stays flipped'),
  preset: 'everything',
  smallest: funding.smallest,
  schedule: '20 */5 * * * *',
  cost: 'one request for all symbols',
  groupWait: 30 * second,
  options: {
    minRate: setting.number(
      0.00005,
      'per settlement; nearer to zero is on no side (the resting rate is 0.0001)',
      '(0, 0.01]',
    ),
    confirm: setting.integer(3, 'settlements in a row on the new side'),
    stood: setting.integer(9, 'settlements on the old side before, so that it meant something: 3 days'),
    floor: funding.floorSetting.describe(
      'what the new side must cost once, before it is settled, to be worth an alert',
    ),
    calm: setting.integer(2, 'settlements in a row, cheap or on the other side, before it has ended'),
    settle: setting.duration('24h', 'a flip that has stood this long is settled'),
    cooldown: setting.duration('24h', 'after the settlement at which one ended, no other of the market'),
    majors: setting.majors('their flips are warnings, those of others info'),
  },
  /** The rate before the flip. */
  note: z.number(),
  memory: z.record(z.string(), followed),
  rules: ({ calm, cooldown }) => ({ calm, cooldown, coolsAll: true, keep: forgetAfter }),
  async observe({ data, state, options, signal }) {
    const [{ data: rows }, hours] = await Promise.all([
      data.fundingCurrent({}, signal),
      askFundingHours(data, signal),
    ]);
    // Markets with a new settlement that may confirm or end a flip.
    const settled = rows.flatMap(({ symbol, timestamp }) => {
      const past = state?.memory?.[symbol];
      const fresh = Date.parse(timestamp) > (state?.values[symbol]?.seen ?? 0);
      const mayTurn = (past?.side.pending?.count ?? 0) + 1 >= options.confirm;
      return past !== undefined && fresh && (past.flip !== null || mayTurn) ? [symbol] : [];
    });
    return { rows, hours, past: await funding.askPast(settled, data, signal) };
  },

  look({ rows, hours, past: settlements }, { options, now, values, memory: before = {} }) {
    const memory = Object.fromEntries(Object.entries(before).filter(([symbol]) => values[symbol]));
    const newest = new Map(rows.map((row) => [row.symbol, row]));
    const seen = [...newest.values()].flatMap(({ symbol: key, rate: given, timestamp }) => {
      const rate = Number(given);
      const at = Date.parse(timestamp);
      const { seen: counted = 0, open = null, last = null } = values[key] ?? {};
      if (!funding.isRecent(timestamp, now) || at <= counted || !Number.isFinite(rate)) return [];
      const to = Math.abs(rate) < options.minRate ? null : rate > 0 ? 'POSITIVE' : 'NEGATIVE';
      const past = memory[key];
      const next = nextFollowed(past, { ...options, to, rate, at });
      // A flip is settled `settle` after its alert began, or after its confirmation if it has no alert. It is also
      // settled once its alert has ended.
      const isSettled = ({ at: turned }: { readonly at: number }) =>
        at - Math.max(open?.since ?? 0, turned) >= options.settle || (last !== null && last.at > turned);
      const flip = next?.flip && !isSettled(next.flip) ? next.flip : null;
      if (next !== undefined) memory[key] = { ...next, flip };
      const cost = { ...options, hours: hours.get(key) };
      const strong =
        flip !== null && to !== null && to === next?.side.value && funding.costsEnough(rate, cost);
      const ends = flip === null || flip !== past?.flip;
      const severity = options.majors.includes(key) ? ('warning' as const) : ('info' as const);
      const samples = [{ at, side: strong ? to : null, strong, ends, severity, note: flip?.from }];
      return [{ key, samples, rate, hours: cost.hours, past: settlements, stood: next?.stood ?? 0 }];
    });
    return { seen, memory };
  },

  labelsOf: (symbol, to) => ({ symbol, to }),
  endsUnseen: true,

  tell(transition, { seen: { key: symbol, rate, hours, past, stood }, options: { minRate, floor } }) {
    const { status, side: to, note: from = Number.NaN, seen: time } = transition;
    const begins = status === 'firing';
    const back = Math.abs(rate) >= minRate && rate > 0 !== (to === 'POSITIVE');
    const side = back === (to === 'POSITIVE') ? 'NEGATIVE' : 'POSITIVE';
    const values = { symbol: marketName(symbol), side, rate: ratePer(rate, hours) };
    const level = to === 'NEGATIVE' ? -minRate : minRate;
    const levelName = to === 'NEGATIVE' ? msg('negative from') : msg('positive from');
    return {
      title: begins
        ? msg('{symbol} funding turned {side, select, POSITIVE {positive} other {negative}}: {rate}', values)
        : endOf(values, { back, dear: funding.costsEnough(rate, { hours, floor }) }),
      summary: msg(
        '{side, select, POSITIVE {Longs pay shorts now; before, shorts paid longs.} other {Shorts pay longs now; before, longs paid shorts.}}',
        { side },
      ),
      facts: [
        ...funding.rateFacts(rate, hours),
        [msg('Before the flip'), ratePer(from, hours)],
        begins && [msg('Settlements in a row'), count(stood)],
        [msg('Settled'), timeOf(time)],
      ],
      picture: funding.pictureOf(symbol, { past, time, rate, levels: [[levelName, level]] }),
      prominence: Math.abs(rate),
    };
  },
});

/** Returns the title of an end. `back`: the rate is on the other side again; `dear`: the rate still costs `floor`. */
function endOf(values: Values, { back, dear }: Record<'back' | 'dear', boolean>): Text {
  if (back)
    return msg(
      '{symbol} funding turned {side, select, POSITIVE {positive} other {negative}} again: {rate}',
      values,
    );
  return dear
    ? msg('{symbol} funding still {side, select, POSITIVE {positive} other {negative}}: {rate}', values)
    : msg('{symbol} funding near zero again: {rate}', values);
}

/** `to` is null if the rate is near zero. */
type Settled = Record<'rate' | 'at' | 'confirm' | 'stood', number> & { readonly to: Side | null };

/** Returns what is known after one more settlement. A flip leaves a side that had stood for `stood` settlements or more. */
function nextFollowed(past: Followed | undefined, settled: Settled): Followed | undefined {
  const { to, rate, at, confirm, stood } = settled;
  if (past === undefined)
    return to === null ? undefined : { side: { value: to, pending: null }, stood: 1, rate, flip: null };
  const before = past.side.value;
  const now = nextAgreed(past.side, { seen: to ?? before, confirm });
  if (now.value !== before)
    return { side: now, stood: confirm, rate, flip: past.stood >= stood ? { from: past.rate, at } : null };
  return to === before ? { ...past, side: now, stood: past.stood + 1, rate } : { ...past, side: now };
}
