import { z } from 'zod';
import { marketName, percent, price, share, usd } from '../language/format.ts';
import { msg } from '../language/text.ts';
import { ifAnswered } from '../runtime/errors.ts';
import { minute } from '../runtime/units.ts';
import { defineCommand } from '../shell/command.ts';
import { staleDataFacts } from '../shell/failure.ts';
import { symbol } from '../shell/input.ts';
import { judgedText, largestZones } from './kit/chart-marks.ts';
import { marketPicture } from './kit/market-chart.ts';

/** How many levels of each side are listed, and how many of these are drawn. */
const [listed, drawn] = [5, 3];

export default defineCommand({
  name: 'levels',
  otherNames: ['stops', 'zones', 'heatmap', 'liqmap'],
  description: msg('Liquidation levels of a market: where longs and shorts would be liquidated, estimated'),
  input: z.object({ symbol: symbol.describe('Market, e.g. BTCUSDT').default('BTCUSDT') }),
  async run({ symbol }, context) {
    const { data, now, signal } = context;
    const [answer, picture] = await Promise.all([
      data.liquidationZones({ symbol }, signal),
      ifAnswered(marketPicture(symbol, { ...context, interval: '4h' })),
    ]);
    const { zones, coverage, judged } = answer;
    const dataTime = Date.parse(answer.timestamp);
    const largest = (['SHORT', 'LONG'] as const).flatMap((side) =>
      zones
        .filter((zone) => zone.side === side)
        .toSorted((a, b) => b.estimatedUsd - a.estimatedUsd)
        .slice(0, listed)
        .sort((a, b) => b.price - a.price),
    );
    return {
      title: msg('Liquidation levels of {symbol}, price {price}', {
        symbol: marketName(symbol),
        price: price(answer.price),
      }),
      summary: msg('Estimated from how open interest grew in the last 7 days: {share} of it is covered.', {
        share: share(coverage),
      }),
      facts: [
        ...(judged === undefined ? [] : [{ name: msg('How good they are'), value: judgedText(judged) }]),
        ...staleDataFacts(dataTime, { now, limit: 20 * minute }),
      ],
      table: {
        columns: [msg('Side'), msg('Price'), msg('Away'), msg('Estimate')],
        rows: largest.map(({ side, price: at, distancePct, estimatedUsd }) => [
          side === 'LONG' ? msg('Longs') : msg('Shorts'),
          price(at),
          percent(distancePct, 1),
          usd(estimatedUsd),
        ]),
      },
      ...(picture !== undefined && {
        chart: { ...picture.chart, lanes: [], moments: [], bands: [], marks: largestZones(answer, drawn) },
      }),
      actions: [
        { label: msg('Down 5 %'), command: `cascade ${symbol} -5` },
        { label: msg('Up 5 %'), command: `cascade ${symbol} 5` },
        { label: msg('Leverage'), command: `leverage ${symbol}` },
      ],
      dataTime,
    };
  },
});
