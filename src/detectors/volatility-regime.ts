import { z } from 'zod';
import { count, span, time, title, words } from '../language/format.ts';
import { msg, type Text } from '../language/text.ts';
import { duration, hour, msOf } from '../runtime/units.ts';
import { defineEpisodes } from './kit/episodes.ts';
import { lineOf } from './kit/series.ts';

/** What nobody is told of: it ends an alert and begins none. */
const ordinary = 'NORMAL_VOL';

/**
 * The volatility regime, as the service classifies it by the percentile of today's volatility among a year's days.
 * That class is raw: a new one counts once it has stood for `confirm` and the percentile has moved `margin` points
 * from where the old one was last seen, so that a percentile beside a class's edge changes nothing. An alert is a
 * class that is not the ordinary one, from its confirmation to that of another, brought up to date every `update`.
 * While the service says that its data is DOWN, the class is not known.
 */
export default defineEpisodes({
  name: 'volatility-regime',
  description: msg('Market volatility turns high or low against its last year'),
  preset: 'standard',
  schedule: '30 */5 * * * *',
  cost: 'the request is regime-transition’s',
  options: z.object({
    confirm: duration.prefault('12h').describe('market time for which the data must agree on a new class'),
    margin: z
      .number()
      .min(0)
      .max(25)
      .default(10)
      .describe('points of the percentile away from where the old class was last seen'),
    update: duration
      .prefault('24h')
      .describe('how often a class’s message is updated quietly (edits don’t notify)'),
  }),
  memory: z.object({
    dataTime: z.number(),
    /** Confirmed, and where the percentile was when it was last seen. */
    regime: z.string(),
    percentile: z.number(),
    since: z.number(),
    pending: z.object({ regime: z.string(), since: z.number() }).nullable(),
  }),
  /** A week of percentiles. */
  trail: { every: hour, most: 168 },
  rules: () => ({}),
  observe: ({ data, signal }) => data.regimeProbabilities({}, signal),

  look({ timestamp, dataHealth, volatilityRegime, current }, { options, memory: past, values }) {
    const dataTime = msOf(timestamp);
    const { regime: now, percentile } = volatilityRegime;
    if (past !== undefined && (dataTime <= past.dataTime || dataHealth === 'DOWN'))
      return { seen: [], memory: past };
    const since = past?.regime !== now && past?.pending?.regime === now ? past.pending.since : dataTime;
    const near = past !== undefined && Math.abs(percentile - past.percentile) < options.margin;
    const memory =
      past?.regime === now
        ? { ...past, dataTime, percentile, pending: null }
        : past !== undefined && (near || dataTime - since < options.confirm)
          ? { ...past, dataTime, pending: { regime: now, since } }
          : { dataTime, regime: now, percentile, since, pending: null };
    const { regime } = memory;
    const due = dataTime - (values.market?.open?.saidAt ?? dataTime) >= options.update;
    const sample = {
      at: dataTime,
      side: regime === ordinary ? null : regime,
      strong: true,
      severity: regime === 'HIGH_VOL' ? ('warning' as const) : ('info' as const),
      renew: due && memory.pending === null,
    };
    const about = {
      now,
      percentile,
      current,
      dataTime,
      since: memory.since,
      before: past?.since ?? dataTime,
    };
    return {
      seen: [{ key: 'market', samples: [sample], trace: [dataTime, percentile] as const, ...about }],
      memory,
    };
  },

  tell({ status, side: regime }, { now, percentile, current, dataTime, ...seen }, { past }) {
    const since = status === 'resolved' ? seen.before : seen.since;
    return {
      labels: { regime },
      title:
        status === 'firing'
          ? msg('Market volatility: {regime}', { regime: words(regime) })
          : status === 'updated'
            ? msg('Market volatility: {regime} since {since}, {age}', {
                regime: words(regime),
                since: time(since),
                age: span(dataTime - since),
              })
            : msg('Market volatility no longer {regime}, now {now}', {
                regime: words(regime),
                now: words(now),
              }),
      summary: meaning(status === 'resolved' ? now : regime),
      facts: [
        { name: msg('Percentile of the last year'), value: count(percentile) },
        status === 'resolved'
          ? { name: msg('Lasted'), value: span(dataTime - since) }
          : { name: msg('Since'), value: time(since) },
        { name: msg('Regime'), value: title(current.state) },
      ],
      ...lineOf(msg('Volatility of bitcoin against its last year'), past, {
        name: msg('Percentile of the last year'),
      }),
      dataTime,
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
const meaning = (regime: string): Text =>
  meanings[regime] ?? msg('A volatility regime this version has no description of.');
