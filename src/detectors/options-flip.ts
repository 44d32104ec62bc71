import { askEach } from '../client/ask-each.ts';
import { amount, number, price } from '../language/format.ts';
import { msg } from '../language/text.ts';
import { hour } from '../runtime/units.ts';
import { defineEpisodes, setting, turnEnded } from './kit/define-episodes.ts';
import { marketsWithNewRows, points, series } from './kit/series.ts';

/**
 * Alerts when the put/call ratio by open interest crosses `level`; at 1 there is as much in puts as in calls. The
 * service has a signal of its own (/options/summary: below 0.7, above 1.2), but it can last for months
 * (measured: the whole ETH chain at 0.325), so the detector reports a crossing and not a state. Within `margin`
 * of the level the ratio is on no side, as hysteresis.
 */
export default defineEpisodes({
  name: 'options-flip',
  description: msg('BTC or ETH put open interest overtakes call open interest, or falls behind it'),
  preset: 'everything',
  smallest: ({ level, margin }) =>
    msg('a put/call ratio {margin} beyond {level}', { margin: number(margin), level: number(level) }),
  schedule: '35 */15 * * * *',
  cost: 'two requests: BTC and ETH',
  options: {
    level: setting.positive(1, 'put/call by open interest'),
    margin: setting.number(0.05, 'of the ratio; nearer to the level is on no side'),
    confirm: setting.integer(8, 'rows in a row: two hours'),
    settle: setting.duration('24h', 'a flip that has stood this long is settled'),
    cooldown: setting.duration('3d', 'after an alert, no other for this currency'),
  },
  check: [({ level, margin }) => margin < level, 'margin must be below level'],
  rules: (options) => options,
  async observe({ data, signal }) {
    const ask = (currency: 'BTC' | 'ETH') => data.optionsSummary({ currency }, signal);
    return [...(await askEach(['BTC', 'ETH'], ask))].map(([currency, answer]) => ({ ...answer, currency }));
  },

  look: (answers, { options: { level, margin }, ...context }) =>
    marketsWithNewRows(answers, {
      ...context,
      // Rows come every 15 minutes.
      staleAfter: hour,
      look: (rows) => ({
        samples: rows.map(({ at, putCallRatio: ratio }) => ({
          at,
          side: ratio >= level + margin ? 'PUTS' : ratio <= level - margin ? 'CALLS' : null,
          strong: true,
          severity: 'warning' as const,
        })),
      }),
    }),

  labelsOf: (currency, to) => ({ symbol: `${currency}USDT`, to }),

  tell(transition, { seen: { key: currency, data, current }, options: { level, settle }, now }) {
    const { status, side } = transition;
    const ratio = number(current.putCallRatio, 2);
    return {
      title:
        status === 'firing'
          ? msg(
              '{currency} options: put/call {side, select, PUTS {rose above} other {fell below}} {level} ({ratio})',
              { currency, side, level: number(level, 2), ratio },
            )
          : msg('{currency} options: put/call now {ratio}', { currency, ratio }),
      summary:
        status === 'firing'
          ? msg(
              '{side, select, PUTS {Open interest has shifted towards puts: more protection, or more bets on a fall.} other {Open interest has shifted towards calls: more bets on a rise, or calls written against coins held.}} Which of them it is, the ratio does not say.',
              { side },
            )
          : turnEnded(transition, settle),
      facts: [
        [msg('Put/call'), ratio],
        [msg('Calls'), msg('{size} {currency}', { size: amount(current.callOI), currency })],
        [msg('Puts'), msg('{size} {currency}', { size: amount(current.putOI), currency })],
        [msg('Max pain'), price(current.maxPain)],
        [msg('Implied volatility'), msg('{iv}% a year', { iv: number(current.avgIV, 1) })],
      ],
      picture: {
        subject: msg('Put/call ratio of {currency} options', { currency }),
        line: [currency, points(series(data, { now }), ({ putCallRatio }) => putCallRatio)],
        marks: [[msg('threshold'), level]],
      },
    };
  },
});
