import { z } from 'zod';
import type { Panel } from '../alert/alert.ts';
import { candlesOf } from '../command/candles.ts';
import { caution, extra } from '../command/failure.ts';
import { symbol, whole } from '../command/input.ts';
import { atHoursEnd, baseOf, bySign, changePct, coarser, mean, points } from '../command/series.ts';
import { title as alone, amount, number, percent, span } from '../language/format.ts';
import { msg } from '../language/text.ts';
import { hour } from '../runtime/units.ts';
import { defineCommand } from './command.ts';

/** As many bars as can be told apart on a phone. */
const maxBars = 72;

export default defineCommand({
  name: 'cvd',
  description: 'Cumulative volume delta: whether takers buy or sell, beside the price',
  input: z.object({
    symbol: symbol.describe('Market, e.g. BTCUSDT').default('BTCUSDT'),
    hours: whole(2, 168).default(24).describe('How many hours back'),
  }),
  async run({ symbol, hours }, context) {
    const { data, now, signal } = context;
    const [answer, candles] = await Promise.all([
      data.volumeCvd({ symbol, hours }, signal),
      extra(msg('The price'), candlesOf(symbol, hours, context)),
    ]);
    const { data: rows, totalCvd } = answer;
    const last = rows.at(-1);
    const name = msg('Volume delta of {symbol}', { symbol: answer.symbol });
    const length = span(hours * hour);
    if (last === undefined) {
      return { title: name, summary: msg('No volume was seen in the last {length}.', { length }) };
    }
    const dataTime = Math.min(now, Date.parse(last.timestamp) + hour);
    const closes = candles.value?.closes ?? [];
    const moved = changePct(closes);
    const delta: Panel = {
      unit: baseOf(answer.symbol),
      series: [
        ...bySign(coarser(atHoursEnd(points(rows, (row) => row.delta)), maxBars, 'sum'), {
          up: msg('Bought more'),
          down: msg('Sold more'),
        }),
        { name: msg('Cumulative'), points: atHoursEnd(points(rows, ({ cvd }) => cvd)) },
      ],
    };
    return {
      title: msg('{what}: {pressure}', { what: name, pressure: alone(answer.pressure) }),
      summary:
        moved === undefined || moved * totalCvd >= 0
          ? msg('Counted from the start of the window: what takers bought less what they sold, in coins.')
          : moved > 0
            ? msg('The price rose while takers sold more than they bought.')
            : msg('The price fell while takers bought more than they sold.'),
      facts: [
        { name: msg('Over {length}', { length }), value: amount(totalCvd) },
        { name: msg('Last hour'), value: amount(last.delta) },
        { name: msg('Bought, last hour'), value: msg('{pct} of the volume', { pct: bought(last.buyRatio) }) },
        {
          name: msg('Bought, over {length}', { length }),
          value: msg('{pct} of the volume', { pct: bought(mean(points(rows, ({ buyRatio }) => buyRatio))) }),
        },
        ...(moved === undefined
          ? []
          : [{ name: msg('Price over {length}', { length }), value: percent(moved) }]),
        ...candles.missing,
        ...caution(dataTime, now, 2 * hour),
      ],
      ...(rows.length > 1 && {
        chart: {
          title: msg('Taker volume over {length}', { length }),
          ...(closes.length > 1
            ? {
                unit: 'USDT',
                series: [{ name: msg('Price'), points: closes }],
                below: delta,
              }
            : delta),
        },
      }),
      dataTime,
    };
  },
});

const bought = (pct: number | undefined) => msg('{value}%', { value: number(pct, 1) });
