import type { Chart, Fact } from '../alert/alert.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { amount, marketName, percent, usd, words } from '../language/format.ts';
import { msg, msgIn } from '../language/text.ts';
import { compact } from '../runtime/compact.ts';
import { hour, minute } from '../runtime/units.ts';
import { windowOf } from '../runtime/window.ts';
import { awaitOptionalPart, awaitPart } from '../shell/failure.ts';
import { definePanel } from './kit/panel.ts';
import { barsOf, changePct, type Points, points } from './kit/series.ts';

/** Snapshots come every 5 minutes. One request returns at most `maxSnapshots` of them. */
const perHour = 12;
const maxSnapshots = 1_000;

export default definePanel({
  name: 'oi',
  otherNames: ['持仓', 'interest'],
  description: msg('Open interest of a market: how much, and how fast it changes'),
  hours: { usual: 6, most: 168 },
  takesVenue: true,
  async ask({ symbol, hours, venue }, { data, signal }) {
    const rows = hours * perHour + 1;
    const [momentum, snapshots, velocity] = await Promise.all([
      data.oiMomentum({ symbol, hours, venue }, signal),
      awaitPart(
        msg('Its value in dollars'),
        data.oi({ symbol, limit: rows <= maxSnapshots ? rows : 1, venue }, signal),
      ),
      awaitOptionalPart(msg('Velocity'), data.oiVelocity({ symbol, hours: 1, venue }, signal)),
    ]);
    return { momentum, snapshots, velocity };
  },
  nameOf: ({ momentum }) => msg('Open interest of {symbol}', { symbol: marketName(momentum.symbol) }),
  // The snapshots begin with the window, the momentum a snapshot after it.
  pastOf: ({ momentum, snapshots: { value } }) =>
    value !== undefined && value.data.length > 1
      ? points(value.data, ({ oi_contracts }) => Number(oi_contracts))
      : points(momentum.data, ({ oi }) => oi),
  emptySummary: (length) => msg('No snapshot in the last {length}.', { length }),

  show({ momentum, snapshots, velocity }, { past: contracts, length, hours }) {
    const { data: rows, current } = momentum;
    // Of a market listed minutes ago how much is known, and not yet how fast it changes.
    const newest = snapshots.value?.data.at(-1);
    const { oi = Number(newest?.oi_contracts), timestamp = newest?.timestamp } = current ?? {};
    if (timestamp === undefined) return undefined;
    const values = windowOf(
      points(snapshots.value?.data ?? [], (row) => Number(row.oi_value_usd)),
      hours * hour,
    );
    const rates = points(rows, ({ ratePct }) => ratePct);
    return {
      headline: current === undefined ? usd(Number(newest?.oi_value_usd)) : words(momentum.signal),
      facts: compact([
        { name: msg('Contracts'), value: amount(oi) },
        ...(values.length === 0
          ? snapshots.missing
          : [{ name: msgIn('money', 'Value'), value: usd(values.at(-1)?.[1]) }]),
        ...(current === undefined ? [] : ratesOf(momentum, current)),
        ...velocity.missing,
        velocity.value?.current !== undefined && {
          name: msg('Velocity'),
          value: msg('{pct} in 1 h, {usd}', {
            pct: percent(velocity.value.current.velocityPct),
            usd: usd(velocity.value.current.velocityUsd),
          }),
        },
        contracts.length > 1 && {
          name: msg('Change in {length}, contracts', { length }),
          value: percent(changePct(contracts)),
        },
      ]),
      chart: rows.length > 1 && {
        ...levelOf(momentum.symbol, { values, contracts }),
        below: {
          unit: '%',
          series: barsOf(rates, { how: 'sum', names: { up: msg('Grows'), down: msg('Shrinks') } }),
        },
      },
      dataTime: Date.parse(timestamp),
      maxAge: 15 * minute,
    };
  },
});

/** Says how fast the open interest changes. */
const ratesOf = (
  { avgRatePct, maxAcceleration }: EndpointAnswer<'oiMomentum'>,
  { ratePct, accelerationPct }: EndpointAnswer<'oiMomentum'>['data'][number],
): Fact[] => [
  { name: msgIn('change', 'Rate'), value: msg('{pct} in 5 min', { pct: percent(ratePct) }) },
  { name: msg('Acceleration'), value: msg('{pct} in 5 min', { pct: percent(accelerationPct) }) },
  { name: msg('Mean rate'), value: percent(avgRatePct, 3) },
  { name: msg('Largest acceleration'), value: percent(maxAcceleration) },
];

/** Draws the open interest in dollars if snapshots cover the time, otherwise in contracts. */
const levelOf = (
  symbol: string,
  { values, contracts }: { readonly values: Points; readonly contracts: Points },
): Pick<Chart, 'unit' | 'series'> =>
  values.length > 1
    ? { unit: 'USD', series: [{ name: marketName(symbol), points: values }] }
    : {
        unit: '',
        series: [{ name: msg('{symbol}, contracts', { symbol: marketName(symbol) }), points: contracts }],
      };
