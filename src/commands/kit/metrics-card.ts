import type { Card } from '../../card/card.ts';
import { msg, typed } from '../../language/text.ts';
import { timeframes } from '../../rules/candle-metrics.ts';
import { metricNames, metricOf } from '../../rules/metrics.ts';

/** What own alerts can be about. */
export const metricsCard: Card = {
  title: msg('What an alert can be about'),
  summary: msg('Join several in a condition: {example}.', {
    example: typed(
      'alert create when="funding.z > 2.5 && oi.ratePct > 1" top20',
      'alert create when:funding.z > 2.5 && oi.ratePct > 1 symbols:top20',
    ),
  }),
  table: {
    columns: [msg('Metric'), msg('What it is')],
    rows: metricNames.flatMap((name) => {
      // What is offered for each timeframe is one row.
      const [space, timeframe] = name.split('.');
      if (timeframes.slice(1).some((each) => each === timeframe)) return [];
      const isFirst = timeframe === timeframes[0];
      return [[isFirst ? `${space}.${timeframes.join('|')}` : name, metricOf(name).description]];
    }),
  },
};
