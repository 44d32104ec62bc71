import type { Panel } from '../alert/alert.ts';
import { baseOf } from '../alert/symbols.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { amount, marketName, percent, share, words } from '../language/format.ts';
import { join, msg, type Text } from '../language/text.ts';
import { compact } from '../runtime/compact.ts';
import { hour } from '../runtime/units.ts';
import { awaitOptionalPart } from '../shell/failure.ts';
import { candlesOf } from './kit/candles.ts';
import { definePanel } from './kit/panel.ts';
import { atHoursEnd, barsOf, changePct, points } from './kit/series.ts';

export default definePanel({
  name: 'cvd',
  otherNames: ['delta', 'volume', 'buyers'],
  description: msg('Cumulative volume delta: whether takers buy or sell, next to the price'),
  hours: { least: 2, usual: 24, most: 168 },
  async ask({ symbol, hours }, context) {
    const [answer, candles] = await Promise.all([
      context.data.volumeCvd({ symbol, hours }, context.signal),
      awaitOptionalPart(msg('The price'), candlesOf(symbol, { ...context, hours })),
    ]);
    return { ...answer, candles };
  },
  nameOf: ({ symbol }) => msg('Volume delta of {symbol}', { symbol: marketName(symbol) }),
  pastOf: ({ data: rows }) => atHoursEnd(points(rows, ({ delta }) => delta)),
  lasts: hour,
  emptySummary: (length) => msg('No volume was seen in the last {length}.', { length }),

  show({ symbol, data: rows, totalCvd, pressure, candles }, { name, past: deltas, length, now }) {
    const last = rows.at(-1);
    if (last === undefined) return undefined;
    const inCoins = (value: number) => join([amount(value), baseOf(symbol)], ' ');
    const closes = candles.value?.closes ?? [];
    const priceChange = changePct(closes);
    const delta: Panel = {
      unit: baseOf(symbol),
      series: [
        ...barsOf(deltas, { how: 'sum', names: { up: msg('Bought more'), down: msg('Sold more') } }),
        { name: msg('Cumulative'), points: atHoursEnd(points(rows, ({ cvd }) => cvd)) },
      ],
    };
    const headline = words(pressure);
    return {
      headline,
      title: msg('{what}, last {length}: {pressure}', { what: name, length, pressure: headline }),
      summary:
        priceChange === undefined || priceChange * totalCvd >= 0
          ? msg('What takers bought less what they sold, counted from the start of the window.')
          : priceChange > 0
            ? msg('The price rose while takers sold more than they bought.')
            : msg('The price fell while takers bought more than they sold.'),
      facts: compact([
        { name: msg('Over {length}', { length }), value: inCoins(totalCvd) },
        { name: msg('Last hour'), value: inCoins(last.delta) },
        {
          name: msg('Takers bought'),
          value: msg('{pct} (last hour), {whole} ({length})', {
            pct: boughtShare([last]),
            whole: boughtShare(rows),
            length,
          }),
        },
        priceChange !== undefined && {
          name: msg('Price over {length}', { length }),
          value: percent(priceChange),
        },
        ...candles.missing,
      ]),
      chart:
        rows.length > 1 &&
        (closes.length > 1
          ? { unit: 'USDT', series: [{ name: msg('Price'), points: closes }], below: delta }
          : delta),
      dataTime: Math.min(now, Date.parse(last.timestamp) + hour),
      maxAge: 2 * hour,
    };
  },
});

/** Returns the taker buys' share of the total volume. The mean of the hourly shares could contradict the sum. */
function boughtShare(rows: EndpointAnswer<'volumeCvd'>['data']): Text {
  const [bought, sold] = rows.reduce(
    ([buys, sells], { buyVolume, sellVolume }) => [buys + buyVolume, sells + sellVolume],
    [0, 0],
  );
  return share(bought / (bought + sold), 1);
}
