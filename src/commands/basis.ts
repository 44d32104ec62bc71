import { ratePer } from '../alert/rate-per.ts';
import { fundingHours } from '../client/funding-hours.ts';
import { labelTitle, marketName, percent, price } from '../language/format.ts';
import { msg } from '../language/text.ts';
import { compact } from '../runtime/compact.ts';
import { ifAnswered } from '../runtime/errors.ts';
import { minute } from '../runtime/units.ts';
import { basisLevel, basisWord } from './kit/basis-word.ts';
import { definePanel } from './kit/panel.ts';
import { lineOf, mean, points } from './kit/series.ts';

export default definePanel({
  name: 'basis',
  description: msg('Basis of a market: the perpetual against its index, now and over the last hours'),
  hours: { usual: 24, most: 168 },
  takesVenue: true,
  async ask({ symbol, hours, venue }, { data, signal }) {
    const [answer, intervalHours] = await Promise.all([
      data.basis({ symbol, hours, venue }, signal),
      venue === undefined
        ? fundingHours(data, signal).then((known) => known.get(symbol))
        : ifAnswered(data.venueMarkets({ symbol, venue }, signal)).then((now) => now?.data[0]?.hours),
    ]);
    return { ...answer, intervalHours };
  },
  nameOf: ({ symbol }) => msg('Basis of {symbol}', { symbol: marketName(symbol) }),
  pastOf: ({ data: rows }) => points(rows, ({ basisPct }) => basisPct),
  emptySummary: (length) => msg('No price in the last {length}.', { length }),

  show({ symbol, venue, data: rows, current, intervalHours }, { past: basis, length }) {
    if (current === undefined) return undefined;
    const known = basis.map(([, value]) => value);
    return {
      headline: msg('{pct}, {signal}', {
        pct: percent(current.basisPct, 4),
        signal: basisWord(current.basisPct),
      }),
      summary:
        current.basisPct > 0
          ? msg('The perpetual trades above its index.')
          : current.basisPct < 0
            ? msg('The perpetual trades below its index.')
            : msg('The perpetual trades at its index.'),
      facts: compact([
        { name: msg('Mark price'), value: price(current.markPrice) },
        { name: msg('Index price'), value: price(current.indexPrice) },
        { name: msg('Estimated funding'), value: ratePer(current.estFunding, intervalHours) },
        known.length > 1 && { name: msg('Mean over {length}', { length }), value: percent(mean(basis), 4) },
        known.length > 1 && {
          name: msg('Range over {length}', { length }),
          value: msg('{low} to {high}', {
            low: percent(Math.min(...known), 4),
            high: percent(Math.max(...known), 4),
          }),
        },
      ]),
      chart: rows.length > 1 && {
        unit: '%',
        series: [lineOf(msg('Basis'), basis)],
        marks: [
          { name: labelTitle('CONTANGO'), value: basisLevel },
          { name: labelTitle('BACKWARDATION'), value: -basisLevel },
        ],
        below: {
          unit: '%',
          series: [
            lineOf(
              msg('Estimated funding'),
              points(rows, ({ estFunding }) => estFunding * 100),
            ),
          ],
        },
      },
      actions: [
        {
          label: msg('Funding'),
          command: `funding ${symbol}${venue === undefined ? '' : ` venue=${venue}`}`,
        },
      ],
      dataTime: Date.parse(current.timestamp),
      maxAge: 15 * minute,
    };
  },
});
