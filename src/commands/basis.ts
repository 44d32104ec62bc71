import { z } from 'zod';
import { caution } from '../command/failure.ts';
import { symbol, whole } from '../command/input.ts';
import { coarser, mean, points } from '../command/series.ts';
import { title as alone, percent, price, rate, span, words } from '../language/format.ts';
import { msg } from '../language/text.ts';
import { hour, minute } from '../runtime/units.ts';
import { defineCommand } from './command.ts';

/** As many points as a picture shows. */
const maxPoints = 300;
/** From where on the interface speaks of contango, and below its negative of backwardation, percent. */
const level = 0.05;

export default defineCommand({
  name: 'basis',
  description: 'Basis of a market: the perpetual against its index, now and how it came here',
  input: z.object({
    symbol: symbol.describe('Market, e.g. BTCUSDT').default('BTCUSDT'),
    hours: whole(1, 168).default(24).describe('How many hours back'),
  }),
  async run({ symbol, hours }, { data, now, signal }) {
    const answer = await data.basis({ symbol, hours }, signal);
    const { data: rows, current } = answer;
    const name = msg('Basis of {symbol}', { symbol: answer.symbol });
    const length = span(hours * hour);
    if (current === undefined) {
      return {
        title: name,
        summary: msg('No price was seen in the last {length}: it is not known.', { length }),
      };
    }
    const dataTime = Date.parse(current.timestamp);
    const basis = points(rows, ({ basisPct }) => basisPct);
    const known = basis.map(([, value]) => value);
    return {
      title: msg('{what}: {pct}, {signal}', {
        what: name,
        pct: percent(current.basisPct, 4),
        signal: words(answer.signal),
      }),
      summary:
        current.basisPct > 0
          ? msg('The perpetual costs more than its index.')
          : current.basisPct < 0
            ? msg('The perpetual costs less than its index.')
            : msg('The perpetual costs as much as its index.'),
      facts: [
        { name: msg('Mark price'), value: price(current.markPrice) },
        { name: msg('Index price'), value: price(current.indexPrice) },
        { name: msg('Estimated funding'), value: rate(current.estFunding) },
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
          title: msg('Basis over {length}', { length }),
          unit: '%',
          series: [{ name: msg('Basis'), points: coarser(basis, maxPoints, 'mean') }],
          marks: [
            { name: alone('CONTANGO'), value: level },
            { name: alone('BACKWARDATION'), value: -level },
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
