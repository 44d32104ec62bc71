import { day, hour, minute } from '../../../runtime/units.ts';
import { isUnknown } from '../../exchanges/failure.ts';
import type { MacroProvider } from '../../exchanges/macro.ts';
import { type AnyHistory, type CollectorContext, defineCollector, defineHistory } from './collector.ts';

/** Collects values of other markets (stock index, gold, …) from the configured provider and the venue's perpetual on gold. */
export default defineCollector({
  name: 'macro',
  every: 15 * minute,
  histories: ({ macro, exchanges }) => [
    ...(macro === undefined ? [] : [provided(macro)]),
    ...goldPerpetual(exchanges),
  ],
});

const provided = ({ series, step, read }: MacroProvider): AnyHistory =>
  defineHistory({
    series: 'observations',
    step,
    pageSteps: 1_000,
    wanted: 90 * day,
    needed: () => day,
    symbols: series,
    fetch: (symbol, page) => read(symbol, page),
  });

/** The hourly closes of the perpetual, each known when its hour ends. A simulated market has gold from its provider. */
function goldPerpetual({ venue, markets, streams }: CollectorContext['exchanges']): AnyHistory[] {
  const { gold, roles } = venue;
  const { candles } = markets;
  if (gold === undefined || candles === undefined || roles.candles === undefined || streams === undefined)
    return [];
  return [
    defineHistory({
      series: 'observations',
      step: hour,
      pageSteps: roles.candles.rows,
      wanted: 90 * day,
      // It adds to answers, and none waits for it.
      needed: () => 0,
      symbols: ['gold_perpetual'],
      async fetch(symbol, { from, to, ...page }) {
        try {
          const opened = { ...page, from: from - hour, to: to - hour };
          const rows = await candles(gold, { interval: '1h', page: opened });
          return rows
            .filter(({ time }) => time <= opened.to)
            .map(({ time, close }) => ({ symbol, time: time + hour, value: close }));
        } catch (error) {
          // Not listed, or no longer: then there is no gold, which is no fault of the feed.
          if (isUnknown(error)) return [];
          throw error;
        }
      },
    }),
  ];
}
