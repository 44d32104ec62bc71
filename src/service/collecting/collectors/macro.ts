import { day, minute } from '../../../runtime/units.ts';
import { defineCollector, defineHistory } from './collector.ts';

/** Collects values of other markets (stock index, gold, …) from the configured provider, if there is one. */
export default defineCollector({
  name: 'macro',
  every: 15 * minute,
  histories: ({ macro }) =>
    macro === undefined
      ? []
      : [
          defineHistory({
            series: 'observations',
            step: macro.step,
            pageSteps: 1_000,
            wanted: 90 * day,
            needed: () => day,
            symbols: macro.series,
            fetch: (series, page) => macro.read(series, page),
          }),
        ],
});
