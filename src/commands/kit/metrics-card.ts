import type { Card } from '../../card/card.ts';
import { msg, typed } from '../../language/text.ts';
import { metricNames, metricOf } from '../../rules/metrics.ts';

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
    rows: metricNames.map((name) => [name, metricOf(name).description]),
  },
};
