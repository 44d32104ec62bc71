import { z } from 'zod';
import { count, labelTitle, span, time, words } from '../language/format.ts';
import { msg, type Text } from '../language/text.ts';
import { hour } from '../runtime/units.ts';
import { defineEpisodes, setting } from './kit/define-episodes.ts';
import { knownTime } from './kit/known.ts';

/**
 * Alerts when the volatility regime changes, as the service classifies it, without hysteresis, by the percentile of
 * today's volatility among a year's days. A new class counts once it has stood for `confirm` and the percentile has
 * moved `margin` points from where the old class was last seen, so that a percentile close to the edge of a class
 * changes nothing. An alert is about a class other than the ordinary one and lasts until another is confirmed. While the
 * service says that its data is DOWN, the class is not known.
 */
export default defineEpisodes({
  name: 'volatility-regime',
  description: msg('Market volatility turns high or low against its last year'),
  preset: 'standard',
  smallest: ({ margin, confirm }) =>
    msg('another class, {margin, number} percentile points away for {confirm}', {
      margin,
      confirm: span(confirm),
    }),
  schedule: '30 */5 * * * *',
  cost: 'the request is regime-transition’s',
  options: {
    confirm: setting.duration('12h', 'market time for which the data must agree on a new class'),
    margin: setting.number(
      10,
      'points of the percentile away from where the old class was last seen',
      '[0, 25]',
    ),
    update: setting.duration('24h', 'how often a class’s message is updated quietly (edits don’t notify)'),
  },
  memory: z.object({
    dataTime: z.number(),
    /** The confirmed class, the percentile at which it was last seen, and when it was confirmed. */
    regime: z.string(),
    percentile: z.number(),
    since: z.number(),
    pending: z.object({ regime: z.string(), since: z.number() }).nullable(),
  }),
  /** A week of percentiles. */
  trail: { interval: hour, maxValues: 168 },
  rules: () => ({}),
  observe: ({ data, signal }) => data.regimeProbabilities({}, signal),

  look(
    { timestamp, dataHealth, volatilityRegime, current },
    { options, memory: past, values, now: lookedAt },
  ) {
    const dataTime = knownTime(Date.parse(timestamp), lookedAt);
    const { regime: now, percentile } = volatilityRegime;
    if (past && (dataTime <= past.dataTime || dataHealth === 'DOWN')) return { seen: [], memory: past };
    const since = past?.regime !== now && past?.pending?.regime === now ? past.pending.since : dataTime;
    const isNear = past !== undefined && Math.abs(percentile - past.percentile) < options.margin;
    const memory =
      past?.regime === now
        ? { ...past, dataTime, percentile, pending: null }
        : past !== undefined && (isNear || dataTime - since < options.confirm)
          ? { ...past, dataTime, pending: { regime: now, since } }
          : { dataTime, regime: now, percentile, since, pending: null };
    const { regime } = memory;
    const due = dataTime - (values.market?.open?.saidAt ?? dataTime) >= options.update;
    const sample = {
      at: dataTime,
      side: regime === 'NORMAL_VOL' ? null : regime,
      strong: true,
      severity: regime === 'HIGH_VOL' ? ('warning' as const) : ('info' as const),
      renew: due && memory.pending === null,
    };
    const trace = [dataTime, percentile] as const;
    const about = { now, percentile, current, since: memory.since, before: past?.since ?? dataTime };
    return { seen: [{ key: 'market', samples: [sample], trace, ...about }], memory };
  },

  labelsOf: (_, regime) => ({ regime }),

  tell({ status, ended, side: regime, seen: at }, { seen: { now, percentile, current, ...seen }, past }) {
    const since = ended ? seen.before : seen.since;
    const [sinceText, age] = [time(since), span(at - since)];
    const values = { regime: words(regime), now: words(now), since: sinceText, age };
    return {
      title: ended
        ? msg('Market volatility no longer {regime}, now {now}', values)
        : status === 'firing'
          ? msg('Market volatility: {regime}', values)
          : msg('Market volatility: {regime} since {since}, {age}', values),
      summary:
        meanings[ended ? now : regime] ?? msg('A volatility regime this version has no description of.'),
      facts: [
        [msg('Percentile of the last year'), count(percentile)],
        ended ? [msg('Lasted'), age] : [msg('Since'), sinceText],
        [msg('Regime'), labelTitle(current.state)],
      ],
      picture: {
        subject: msg('Volatility of bitcoin against its last year'),
        line: [msg('Percentile of the last year'), past],
      },
    };
  },
});

const meanings: Readonly<Record<string, Text>> = {
  HIGH_VOL: msg(
    'Moves are larger than on most days of the last year, either way: the same position risks more.',
  ),
  LOW_VOL: msg('Moves are smaller than on most days of the last year; how long that lasts nobody knows.'),
  NORMAL_VOL: msg('Moves are about as large as on most days of the last year.'),
};
