import { z } from 'zod';
import type { Chart } from '../alert/alert.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { amount, marketName, percent, span, usd, words } from '../language/format.ts';
import { msg, msgIn } from '../language/text.ts';
import { hour, minute } from '../runtime/units.ts';
import { defineCommand } from '../shell/command.ts';
import { caution, part } from '../shell/failure.ts';
import { symbol, whole } from '../shell/input.ts';
import { bySign, changePct, coarser, type Points, points } from './kit/series.ts';

/** Snapshots come every 5 minutes, and the interface gives at most so many at once. */
const perHour = 12;
const most = 1_000;
/** As many bars as can be told apart on a phone. */
const maxBars = 72;

export default defineCommand({
  name: 'oi',
  description: msg('Open interest of a market: how much, and how fast it changes'),
  input: z.object({
    symbol: symbol.describe('Market, e.g. BTCUSDT').default('BTCUSDT'),
    hours: whole(1, 168).default(6).describe('How many hours back'),
  }),
  async run({ symbol, hours }, { data, now, signal }) {
    const rowsNeeded = hours * perHour + 1;
    const [momentum, snapshots] = await Promise.all([
      data.oiMomentum({ symbol, hours }, signal),
      part(
        msg('Its value in dollars'),
        data.oi({ symbol, limit: rowsNeeded <= most ? rowsNeeded : 1 }, signal),
      ),
    ]);
    const { data: rows, current } = momentum;
    const name = msg('Open interest of {symbol}', { symbol: marketName(momentum.symbol) });
    const length = span(hours * hour);
    if (current === undefined) {
      return {
        title: name,
        summary: msg('No snapshot in the last {length}.', { length }),
      };
    }
    const dataTime = Date.parse(current.timestamp);
    const values = points(snapshots.value?.data ?? [], (row) => Number(row.oi_value_usd)).filter(
      ([at]) => at >= now - hours * hour - 5 * minute,
    );
    const contracts = points(rows, ({ oi }) => oi);
    return {
      title: msg('{what}: {signal}', { what: name, signal: words(momentum.signal) }),
      facts: [
        { name: msg('Contracts'), value: amount(current.oi) },
        ...(values.length === 0
          ? snapshots.missing
          : [{ name: msgIn('money', 'Value'), value: usd(values.at(-1)?.[1]) }]),
        { name: msgIn('change', 'Rate'), value: msg('{pct} in 5 min', { pct: percent(current.ratePct) }) },
        {
          name: msg('Acceleration'),
          value: msg('{pct} in 5 min', { pct: percent(current.accelerationPct) }),
        },
        { name: msg('Mean rate'), value: percent(momentum.avgRatePct, 3) },
        { name: msg('Largest acceleration'), value: percent(momentum.maxAcceleration) },
        { name: msg('Change in {length}, contracts', { length }), value: percent(changePct(contracts)) },
        ...caution(dataTime, now, 15 * minute),
      ],
      ...(rows.length > 1 && {
        chart: {
          title: msg('{what}, last {length}', { what: name, length }),
          ...levelOf(momentum.symbol, values, contracts),
          below: { unit: '%', series: momentumOf(rows) },
        },
      }),
      dataTime,
    };
  },
});

/** In dollars where that reaches back as far, else in contracts. */
const levelOf = (symbol: string, values: Points, contracts: Points): Pick<Chart, 'unit' | 'series'> =>
  values.length > 1
    ? { unit: 'USD', series: [{ name: marketName(symbol), points: values }] }
    : {
        unit: '',
        series: [{ name: msg('{symbol}, contracts', { symbol: marketName(symbol) }), points: contracts }],
      };

const momentumOf = (rows: EndpointAnswer<'oiMomentum'>['data']) =>
  bySign(
    coarser(
      points(rows, ({ ratePct }) => ratePct),
      maxBars,
      'sum',
    ),
    { up: msg('Grows'), down: msg('Shrinks') },
  );
