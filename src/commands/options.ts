import { baseOf } from '../alert/symbols.ts';
import { UserError } from '../language/errors.ts';
import { amount, labelTitle, marketName, number, percent, price, signed, words } from '../language/format.ts';
import { listOf, msg } from '../language/text.ts';
import { compact } from '../runtime/compact.ts';
import { hour } from '../runtime/units.ts';
import { windowOf } from '../runtime/window.ts';
import { awaitPart } from '../shell/failure.ts';
import { symbol } from '../shell/input.ts';
import { definePanel } from './kit/panel.ts';
import { points } from './kit/series.ts';

/** The data service has options of two coins. It calls their put/call ratio bullish or bearish by these levels. */
const currencies = ['BTC', 'ETH'] as const;
const bullish = 0.7;
const bearish = 1.2;

export default definePanel({
  name: 'options',
  description: msg('Options of BTC or ETH: put/call ratio, max pain and implied volatility'),
  market: symbol
    .meta({ names: 'symbol', among: currencies.map((currency) => `${currency}USDT`) })
    .describe('BTC or ETH')
    .default('BTCUSDT'),
  hours: { usual: 24, most: 168 },
  async ask({ symbol, asked }, { data, signal }) {
    const currency = currencies.find((each) => baseOf(symbol) === each);
    if (currency === undefined) {
      throw new UserError(msg('Options data covers {currencies} only.', { currencies: listOf(currencies) }), {
        title: msg('No options data for {symbol}', { symbol: marketName(symbol) }),
      });
    }
    const [answer, overview] = await Promise.all([
      data.optionsSummary({ currency, hours: asked }, signal),
      awaitPart(msg('The price'), data.marketOverview({}, signal)),
    ]);
    return { ...answer, overview };
  },
  nameOf: ({ currency }) => msg('{currency} options', { currency }),
  pastOf: ({ data: rows }) => points(rows, ({ avgIV }) => avgIV),
  emptySummary: (length) => msg('No option quoted in the last {length}.', { length }),

  show({ currency, data: rows, current, signal, overview }, { symbol, past: volatility, length, hours }) {
    if (current === undefined) return undefined;
    const spot = overview.value?.coins.find((coin) => coin.symbol === symbol)?.price;
    return {
      headline: words(signal),
      facts: compact([
        { name: msg('Put/call ratio'), value: number(current.putCallRatio) },
        { name: msg('Open calls'), value: amount(current.callOI) },
        { name: msg('Open puts'), value: amount(current.putOI) },
        // The data service gives max pain for one expiry only.
        { name: msg('Max pain, nearest monthly expiry'), value: price(current.maxPain) },
        ...overview.missing,
        !!spot && {
          name: msg('Max pain against the price'),
          value: msg('{pct} from {price}', {
            pct: percent((current.maxPain / spot - 1) * 100),
            price: price(spot),
          }),
        },
        {
          name: msg('Implied volatility'),
          value:
            volatility.length > 1
              ? msg('{iv}%, {change} points in {length}', {
                  iv: number(current.avgIV, 1),
                  change: signed(current.avgIV - (volatility[0]?.[1] ?? current.avgIV), 1),
                  length,
                })
              : msg('{value}%', { value: number(current.avgIV, 1) }),
        },
      ]),
      chart: rows.length > 1 && {
        title: msg('{currency} put/call ratio, last {length}', { currency, length }),
        unit: '',
        series: [
          {
            name: msg('Put/call ratio'),
            points: windowOf(
              points(rows, ({ putCallRatio }) => putCallRatio),
              hours * hour,
            ),
          },
        ],
        marks: [
          { name: labelTitle('BULLISH_OPTIONS'), value: bullish, tone: 'good' },
          { name: labelTitle('BEARISH_OPTIONS'), value: bearish, tone: 'bad' },
        ],
        below: {
          unit: '%',
          series: [{ name: msg('Implied volatility'), points: volatility }],
        },
      },
      dataTime: Date.parse(current.timestamp),
      maxAge: hour,
    };
  },
});
