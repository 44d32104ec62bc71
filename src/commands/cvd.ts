import { z } from 'zod';
import type { Panel } from '../alert/alert.ts';
import { baseOf } from '../alert/symbols.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { amount, marketName, percent, share, span, words } from '../language/format.ts';
import { join, msg, type Text } from '../language/text.ts';
import { hour } from '../runtime/units.ts';
import { defineCommand } from '../shell/command.ts';
import { caution, extra } from '../shell/failure.ts';
import { symbol, whole } from '../shell/input.ts';
import { candlesOf } from './kit/candles.ts';
import { atHoursEnd, bySign, changePct, coarser, points } from './kit/series.ts';

/** As many bars as can be told apart on a phone. */
const maxBars = 72;

export default defineCommand({
  name: 'cvd',
  otherNames: ['delta'],
  description: msg('Cumulative volume delta: whether takers buy or sell, next to the price'),
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
    const name = msg('Volume delta of {symbol}', { symbol: marketName(answer.symbol) });
    const length = span(hours * hour);
    const inCoins = (value: number) => join([amount(value), baseOf(answer.symbol)], ' ');
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
      title: msg('{what}, last {length}: {pressure}', {
        what: name,
        length,
        pressure: words(answer.pressure),
      }),
      summary:
        moved === undefined || moved * totalCvd >= 0
          ? msg('What takers bought less what they sold, counted from the start of the window.')
          : moved > 0
            ? msg('The price rose while takers sold more than they bought.')
            : msg('The price fell while takers bought more than they sold.'),
      facts: [
        { name: msg('Over {length}', { length }), value: inCoins(totalCvd) },
        { name: msg('Taker buys over {length}', { length }), value: boughtOf(rows) },
        { name: msg('Last hour'), value: inCoins(last.delta) },
        { name: msg('Taker buys, last hour'), value: boughtOf([last]) },
        ...(moved === undefined
          ? []
          : [{ name: msg('Price over {length}', { length }), value: percent(moved) }]),
        ...candles.missing,
        ...caution(dataTime, now, 2 * hour),
      ],
      ...(rows.length > 1 && {
        chart: {
          title: msg('{what}, last {length}', { what: name, length }),
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

/** By volume: the mean of the hours' shares could say buys where the sum says sells. */
function boughtOf(rows: EndpointAnswer<'volumeCvd'>['data']): Text {
  const [bought, sold] = rows.reduce(
    ([buys, sells], { buyVolume, sellVolume }) => [buys + buyVolume, sells + sellVolume],
    [0, 0],
  );
  return msg('{pct} of the volume', { pct: share(bought / (bought + sold), 1) });
}
