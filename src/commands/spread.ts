import { labelTitle, marketName, number, price, signed, unknown } from '../language/format.ts';
import { msg } from '../language/text.ts';
import { compact } from '../runtime/compact.ts';
import { minute } from '../runtime/units.ts';
import { completeSinceFacts, definePanel } from './kit/panel.ts';
import { barsOf, lineOf, points } from './kit/series.ts';

/** Basis points in one percent. Spreads are shown in basis points. */
const bp = 100;

export default definePanel({
  name: 'spread',
  description: msg('Bid-ask spread of a market and which side of its order book is heavier'),
  hours: { usual: 24, most: 168 },
  ask: ({ symbol, hours }, { data, signal }) => data.spread({ symbol, hours }, signal),
  nameOf: ({ symbol }) => msg('Spread of {symbol}', { symbol: marketName(symbol) }),
  pastOf: ({ data: rows }) => points(rows, ({ spreadPct }) => spreadPct * bp),
  emptySummary: (length) => msg('No order book in the last {length}.', { length }),

  show({ data: rows, current, avgSpreadPct: usual, signal, completeSince }, { past, length }) {
    if (current === undefined) return undefined;
    return {
      headline: labelTitle(signal),
      facts: compact([
        { name: msg('Bid'), value: price(current.bidPrice) },
        { name: msg('Ask'), value: price(current.askPrice) },
        { name: msg('Spread'), value: inBp(current.spreadPct) },
        past.length > 1 && { name: msg('Mean over {length}', { length }), value: inBp(usual) },
        past.length > 1 && {
          name: msg('vs. mean'),
          value: usual > 0 ? msg('{times} ×', { times: number(current.spreadPct / usual) }) : unknown,
        },
        {
          name: msg('Imbalance'),
          value: msg('{value} ({side, select, bid {bids weigh more} ask {asks weigh more} other {even}})', {
            value: signed(current.imbalance),
            side: current.imbalance > 0 ? 'bid' : current.imbalance < 0 ? 'ask' : 'even',
          }),
        },
        ...completeSinceFacts(completeSince),
      ]),
      chart: rows.length > 1 && {
        unit: msg('bp'),
        series: [lineOf(msg('Spread'), past)],
        marks: [{ name: msg('Mean'), value: usual * bp }],
        below: {
          unit: '',
          series: barsOf(
            points(rows, ({ imbalance }) => imbalance),
            { how: 'mean', names: { up: msg('Bids weigh more'), down: msg('Asks weigh more') } },
          ),
        },
      },
      dataTime: Date.parse(current.timestamp),
      maxAge: 10 * minute,
    };
  },
});

const inBp = (pct: number) => msg('{value} bp', { value: number(pct * bp, 3) });
