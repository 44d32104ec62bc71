import { z } from 'zod';
import { baseOf } from '../alert/symbols.ts';
import { UserError } from '../language/errors.ts';
import {
  title as alone,
  amount,
  marketName,
  number,
  percent,
  price,
  signed,
  span,
  words,
} from '../language/format.ts';
import { listOf, msg } from '../language/text.ts';
import { hour } from '../runtime/units.ts';
import { defineCommand } from '../shell/command.ts';
import { caution, part } from '../shell/failure.ts';
import { symbol, whole } from '../shell/input.ts';
import { points } from './kit/series.ts';

/** The interface has options of two coins, and reads their put/call ratio by these levels. */
const currencies = ['BTC', 'ETH'] as const;
const bullish = 0.7;
const bearish = 1.2;

export default defineCommand({
  name: 'options',
  description: msg('Options of BTC or ETH: put/call ratio, max pain and implied volatility'),
  input: z.object({
    symbol: symbol
      .meta({ names: 'symbol', among: currencies.map((currency) => `${currency}USDT`) })
      .describe('BTC or ETH')
      .default('BTCUSDT'),
    hours: whole(1, 168).default(24).describe('How many hours back'),
  }),
  async run({ symbol, hours }, { data, now, signal }) {
    const currency = currencies.find((each) => baseOf(symbol) === each);
    if (currency === undefined) {
      throw new UserError(msg('Options data covers {currencies} only.', { currencies: listOf(currencies) }), {
        title: msg('No options data for {symbol}', { symbol: marketName(symbol) }),
      });
    }
    const [answer, overview] = await Promise.all([
      data.optionsSummary({ currency, hours }, signal),
      part(msg('The price'), data.marketOverview({}, signal)),
    ]);
    const { data: rows, current } = answer;
    const name = msg('{currency} options', { currency: answer.currency });
    const length = span(hours * hour);
    if (current === undefined) {
      return {
        title: name,
        summary: msg('No option quoted in the last {length}.', { length }),
      };
    }
    const dataTime = Date.parse(current.timestamp);
    const spot = overview.value?.coins.find((coin) => coin.symbol === symbol)?.price;
    const volatility = points(rows, ({ avgIV }) => avgIV);
    return {
      title: msg('{what}: {signal}', { what: name, signal: words(answer.signal) }),
      facts: [
        { name: msg('Put/call ratio'), value: number(current.putCallRatio) },
        { name: msg('Open calls'), value: amount(current.callOI) },
        { name: msg('Open puts'), value: amount(current.putOI) },
        // The interface gives that of one expiry.
        { name: msg('Max pain, nearest monthly expiry'), value: price(current.maxPain) },
        ...(spot === undefined || spot === 0
          ? overview.missing
          : [
              {
                name: msg('Max pain against the price'),
                value: msg('{pct} from {price}', {
                  pct: percent((current.maxPain / spot - 1) * 100),
                  price: price(spot),
                }),
              },
            ]),
        {
          name: msg('Implied volatility'),
          value: msg('{iv}%, {change} points in {length}', {
            iv: number(current.avgIV, 1),
            change: signed(current.avgIV - (rows[0]?.avgIV ?? current.avgIV), 1),
            length,
          }),
        },
        ...caution(dataTime, now, hour),
      ],
      ...(rows.length > 1 && {
        chart: {
          title: msg('{currency} put/call ratio, last {length}', { currency: answer.currency, length }),
          unit: '',
          series: [{ name: msg('Put/call ratio'), points: points(rows, ({ putCallRatio }) => putCallRatio) }],
          marks: [
            { name: alone('BULLISH_OPTIONS'), value: bullish, tone: 'good' },
            { name: alone('BEARISH_OPTIONS'), value: bearish, tone: 'bad' },
          ],
          below: { unit: '%', series: [{ name: msg('Implied volatility'), points: volatility }] },
        },
      }),
      dataTime,
    };
  },
});
