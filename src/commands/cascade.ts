import { z } from 'zod';
import { count, marketName, number, percent, price, usd } from '../language/format.ts';
import { msg } from '../language/text.ts';
import { readNumber } from '../language/typed-number.ts';
import { minute } from '../runtime/units.ts';
import { defineCommand } from '../shell/command.ts';
import { staleDataFacts } from '../shell/failure.ts';
import { readBy, symbol } from '../shell/input.ts';

/** The largest move that the service simulates, percent. */
const most = 50;

const move = readBy(
  (text) => {
    const value = readNumber(text.trim().replace(/\s*%$/, '').replace(/^[−–]/, '-').replace(/^\+/, ''));
    return value !== undefined && value !== 0 && Math.abs(value) <= most ? value : undefined;
  },
  msg('give a move in percent from −{most} to {most}, such as −5', { most }),
);

export default defineCommand({
  name: 'cascade',
  otherNames: ['whatif', 'crash'],
  description: msg('What a sudden move of a market would set off, step by step, estimated'),
  input: z.object({
    symbol: symbol.describe('Market, e.g. BTCUSDT').default('BTCUSDT'),
    move: move
      .meta({ offers: ['-5', '-10', '5', '10'] })
      .describe('The move in percent (e.g. −5)')
      .default(-5),
  }),
  async run({ symbol, move }, { data, now, signal }) {
    const answer = await data.liquidationCascade({ symbol, movePct: move }, signal);
    const { rounds, startPrice, estimatedFinalPrice, estimatedTotalUsd, amplification } = answer;
    const dataTime = Date.parse(answer.timestamp);
    const twice = Math.max(-most, Math.min(most, 2 * move));
    let total = 0;
    return {
      title: msg('{symbol} {move}: {usd} liquidated, price to {price}', {
        symbol: marketName(symbol),
        move: percent(move, Number.isInteger(move) ? 0 : 2),
        usd: usd(estimatedTotalUsd),
        price: price(estimatedFinalPrice),
      }),
      summary:
        rounds.length === 0
          ? msg('No estimated position is liquidated on the way.')
          : msg('A worst case, estimated: nobody buys the fall, nobody adds margin.'),
      facts: [
        { name: msg('Price now'), value: price(startPrice) },
        { name: msg('The whole move'), value: percent((estimatedFinalPrice / startPrice - 1) * 100) },
        { name: msg('Amplified'), value: msg('{times} ×', { times: number(amplification) }) },
        ...staleDataFacts(dataTime, { now, limit: 20 * minute }),
      ],
      table: {
        columns: [msg('Step'), msg('Price'), msg('Liquidated'), msg('In all')],
        rows: rounds.map((round, index) => {
          total += round.estimatedUsd;
          return [count(index + 1), price(round.price), usd(round.estimatedUsd), usd(total)];
        }),
      },
      actions: [
        { label: msg('Levels'), command: `levels ${symbol}` },
        ...(twice === move ? [] : [{ label: msg('Twice as far'), command: `cascade ${symbol} ${twice}` }]),
      ],
      dataTime,
    };
  },
});
