import { count, marketName, span, usd } from '../language/format.ts';
import { join, listOf, msg } from '../language/text.ts';
import { minute } from '../runtime/units.ts';
import { defineEpisodes, largest, setting } from './kit/define-episodes.ts';
import { coverageFacts, liquidationsAfter, rolledTape, rollTape, windowSettings } from './kit/tape.ts';

/**
 * Alerts when many markets have liquidation bursts on one side at once: longs (prices fall) or shorts (prices rise).
 * Each market and side is compared with its own past windows. Time is that of the newest event: while the feed is
 * silent nothing ends. Every sum is "at least", as in liquidation-burst, which also makes the same request.
 */
export default defineEpisodes({
  name: 'liquidation-cascade',
  description: msg('Liquidations far above normal on one side of many markets at once'),
  preset: 'quiet',
  smallest: ({ enter, minTotalUsd, window }) =>
    msg('{enter, number} markets and {usd} in {window}', {
      enter,
      usd: usd(minTotalUsd),
      window: span(window),
    }),
  schedule: '2,32 * * * * *',
  cost: 'the request is liquidation-burst’s',
  options: {
    ...windowSettings,
    enter: setting.integer(8, 'markets with a burst on one side within the window', '[2, ∞)'),
    exit: setting.integer(4, 'ends with fewer'),
    critical: setting.integer(20, 'markets', '[2, ∞)'),
    minTotalUsd: setting.number(5_000_000, 'USD of all of them together'),
    factor: setting.number(6, 'times a normal window of that market and side', '(1, ∞)'),
    minUsd: setting.positive(50_000, 'USD in a window of one market and side'),
    cooldown: setting.duration('2h', 'after its end, unless critical'),
  },
  check: setting.levelsAscend,
  memory: rolledTape,
  /** For each side: the number of markets with a burst over an hour or more. */
  trail: { interval: minute, maxValues: 60, reach: Number.POSITIVE_INFINITY },
  rules: (options) => ({ ...options, calm: 1, breaks: 'critical', partial: true, news: true }),
  observe: ({ data, state, signal }) => liquidationsAfter(state?.memory, data, signal),

  look({ rows, coverage }, { options, now, memory, baseline }) {
    const { exit, enter, critical, minTotalUsd } = options;
    const { tape, windows, judged } = rollTape(memory, {
      rows,
      rules: { ...options, now },
      nameOf: ({ symbol, side }) => `${symbol} ${side}`,
    });
    if (windows.length === 0) return { seen: [], memory: tape, able: judged };
    const { read } = tape;
    const bursting = windows.filter(({ sum, level }) => sum >= level);
    // An event with any other side counts for neither.
    const seen = ['LONG', 'SHORT'].map((key) => {
      const bursts = bursting.filter(({ name }) => name.endsWith(` ${key}`));
      const total = bursts.reduce((all, { sum }) => all + sum, 0);
      const sample = {
        at: read.last,
        side: bursts.length >= exit ? key : null,
        strong: bursts.length >= enter && total >= minTotalUsd && (baseline || judged),
        severity: bursts.length >= critical ? ('critical' as const) : ('warning' as const),
      };
      return {
        key,
        samples: [sample],
        trace: [read.last, bursts.length] as const,
        bursts,
        total,
        read,
        coverage,
      };
    });
    return { seen, memory: tape, able: judged };
  },

  labelsOf: (side) => ({ side }),

  tell(
    { ended },
    { seen: { key: side, bursts, total, read, coverage }, options: { window, enter, critical }, past },
  ) {
    const markets = bursts.length;
    const values = { side, markets, usd: usd(total), minutes: count(window / minute) };
    const named = largest(bursts, ({ sum }) => sum).map(({ name, sum }) =>
      join([marketName(name.split(' ')[0] ?? ''), usd(sum)], ' '),
    );
    return {
      title: ended
        ? msg('Liquidation cascade of {side, select, LONG {longs} other {shorts}} is over', values)
        : msg(
            'Liquidation cascade: {side, select, LONG {longs} other {shorts}} of {markets} markets, at least {usd} in {minutes} min',
            values,
          ),
      summary: ended
        ? msg('Liquidations are back to normal in most markets.')
        : msg(
            '{side, select, LONG {Falling prices close longs} other {Rising prices close shorts}} by force in many markets at once, which can push prices further.',
            values,
          ),
      facts: [
        [msg('Markets'), count(markets)],
        markets > 0 && [msg('Liquidated in {minutes} min', values), msg('at least {usd}', values)],
        markets > 0 && [msg('Largest'), listOf(named)],
        ...coverageFacts(coverage),
        read.gaps.length > 0 && [msg('Missing'), msg('more events between two checks than one answer holds')],
      ],
      picture: {
        subject: msg('Markets with {side, select, LONG {long} other {short}} liquidations', values),
        line: [msg('Markets'), past],
        priceOf: 'BTCUSDT',
        marks: [
          [msg('cascade from'), enter],
          past.some(([, bursting]) => bursting >= critical / 2) && [msg('critical from'), critical, 'bad'],
        ],
      },
    };
  },
});
