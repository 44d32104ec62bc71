import { z } from 'zod';
import { ratePer } from '../alert/rate-per.ts';
import { fundingHours } from '../client/funding-hours.ts';
import { title as alone, marketName, percent, price, span } from '../language/format.ts';
import { msg } from '../language/text.ts';
import { hour, minute } from '../runtime/units.ts';
import { defineCommand } from '../shell/command.ts';
import { caution } from '../shell/failure.ts';
import { symbol, whole } from '../shell/input.ts';
import { basisLevel, basisWord } from './kit/basis-word.ts';
import { coarser, mean, points } from './kit/series.ts';

/** As many points as a picture shows. */
const maxPoints = 300;

export default defineCommand({
  name: 'basis',
  description: msg('Basis of a market: the perpetual against its index, now and over the last hours'),
  input: z.object({
    symbol: symbol.describe('Market, e.g. BTCUSDT').default('BTCUSDT'),
    hours: whole(1, 168).default(24).describe('How many hours back'),
  }),
  async run({ symbol, hours }, { data, now, signal }) {
    const [answer, settles] = await Promise.all([
      data.basis({ symbol, hours }, signal),
      fundingHours(data, signal),
    ]);
    const { data: rows, current } = answer;
    const name = msg('Basis of {symbol}', { symbol: marketName(answer.symbol) });
    const length = span(hours * hour);
    if (current === undefined) {
      return {
        title: name,
        summary: msg('No price in the last {length}.', { length }),
      };
    }
    const dataTime = Date.parse(current.timestamp);
    const basis = points(rows, ({ basisPct }) => basisPct);
    const known = basis.map(([, value]) => value);
    return {
      title: msg('{what}: {pct}, {signal}', {
        what: name,
        pct: percent(current.basisPct, 4),
        signal: basisWord(current.basisPct),
      }),
      summary:
        current.basisPct > 0
          ? msg('The perpetual trades above its index.')
          : current.basisPct < 0
            ? msg('The perpetual trades below its index.')
            : msg('The perpetual trades at its index.'),
      facts: [
        { name: msg('Mark price'), value: price(current.markPrice) },
        { name: msg('Index price'), value: price(current.indexPrice) },
        { name: msg('Estimated funding'), value: ratePer(current.estFunding, settles.get(answer.symbol)) },
        { name: msg('Mean over {length}', { length }), value: percent(mean(basis), 4) },
        ...(known.length > 1
          ? [
              {
                name: msg('Range over {length}', { length }),
                value: msg('{low} to {high}', {
                  low: percent(Math.min(...known), 4),
                  high: percent(Math.max(...known), 4),
                }),
              },
            ]
          : []),
        ...caution(dataTime, now, 15 * minute),
      ],
      ...(rows.length > 1 && {
        chart: {
          title: msg('{what}, last {length}', { what: name, length }),
          unit: '%',
          series: [{ name: msg('Basis'), points: coarser(basis, maxPoints, 'mean') }],
          marks: [
            { name: alone('CONTANGO'), value: basisLevel },
            { name: alone('BACKWARDATION'), value: -basisLevel },
          ],
          below: {
            unit: '%',
            series: [
              {
                name: msg('Estimated funding'),
                points: coarser(
                  points(rows, ({ estFunding }) => estFunding * 100),
                  maxPoints,
                  'mean',
                ),
              },
            ],
          },
        },
      }),
      actions: [{ label: msg('Funding'), command: `funding ${answer.symbol}` }],
      dataTime,
    };
  },
});
