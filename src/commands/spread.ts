import { z } from 'zod';
import { title as alone, marketName, number, price, signed, span, unknown } from '../language/format.ts';
import { msg } from '../language/text.ts';
import { hour, minute } from '../runtime/units.ts';
import { defineCommand } from '../shell/command.ts';
import { caution } from '../shell/failure.ts';
import { symbol, whole } from '../shell/input.ts';
import { bySign, coarser, points } from './kit/series.ts';

/** As many points, and as many bars, as a picture shows. */
const maxPoints = 300;
const maxBars = 72;
/** A spread is told in basis points: hundredths of a percent. */
const bp = 100;

export default defineCommand({
  name: 'spread',
  description: msg('Bid-ask spread of a market and which side of its order book is heavier'),
  input: z.object({
    symbol: symbol.describe('Market, e.g. BTCUSDT').default('BTCUSDT'),
    hours: whole(1, 168).default(24).describe('How many hours back'),
  }),
  async run({ symbol, hours }, { data, now, signal }) {
    const answer = await data.spread({ symbol, hours }, signal);
    const { data: rows, current, avgSpreadPct: usual } = answer;
    const name = msg('Spread of {symbol}', { symbol: marketName(answer.symbol) });
    const length = span(hours * hour);
    if (current === undefined) {
      return {
        title: name,
        summary: msg('No order book in the last {length}.', { length }),
      };
    }
    const dataTime = Date.parse(current.timestamp);
    return {
      title: msg('{what}: {signal}', { what: name, signal: alone(answer.signal) }),
      facts: [
        { name: msg('Bid'), value: price(current.bidPrice) },
        { name: msg('Ask'), value: price(current.askPrice) },
        { name: msg('Spread'), value: inBp(current.spreadPct) },
        { name: msg('Mean over {length}', { length }), value: inBp(usual) },
        {
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
        ...caution(dataTime, now, 10 * minute),
      ],
      ...(rows.length > 1 && {
        chart: {
          title: msg('{what}, last {length}', { what: name, length }),
          unit: msg('bp'),
          series: [
            {
              name: msg('Spread'),
              points: coarser(
                points(rows, ({ spreadPct }) => spreadPct * bp),
                maxPoints,
                'mean',
              ),
            },
          ],
          marks: [{ name: msg('Mean'), value: usual * bp }],
          below: {
            unit: '',
            series: bySign(
              coarser(
                points(rows, ({ imbalance }) => imbalance),
                maxBars,
                'mean',
              ),
              { up: msg('Bids weigh more'), down: msg('Asks weigh more') },
            ),
          },
        },
      }),
      dataTime,
    };
  },
});

const inBp = (pct: number) => msg('{value} bp', { value: number(pct * bp, 3) });
