import { z } from 'zod';
import { count, marketName, usd } from '../language/format.ts';
import { join, listOf, msg } from '../language/text.ts';
import { duration, minute } from '../runtime/units.ts';
import { defineEpisodes } from './kit/episodes.ts';
import { rolledTape, rollTape, standingOut, windowSum } from './kit/rolling.ts';
import { lineOf } from './kit/series.ts';
import { liquidationsAfter } from './kit/tape.ts';

/** The liquidated sides of the interface; an event of another is none of either. */
const sides = ['LONG', 'SHORT'] as const;
/** Symbols that are named. */
const shown = 5;

const options = z
  .object({
    window: duration.prefault('15m').describe('what is summed up'),
    enter: z.int().min(2).default(8).describe('markets with a burst on one side within the window'),
    exit: z.int().min(1).default(4).describe('ends with fewer'),
    critical: z.int().min(2).default(20).describe('markets'),
    minTotalUsd: z.number().min(0).default(5_000_000).describe('USD of all of them together'),
    factor: z.number().gt(1).default(6).describe('times a normal window of that market and side'),
    minUsd: z.number().positive().default(50_000).describe('USD in a window of one market and side'),
    halfLife: duration.prefault('3d').describe('half of the past is younger than this'),
    minHistory: z.number().min(1).default(4).describe('past windows needed before anything is judged'),
    cooldown: duration.prefault('2h').describe('after its end, unless critical'),
  })
  .refine(
    ({ exit, enter, critical }) => exit < enter && enter <= critical,
    'exit < enter ≤ critical is expected',
  );

/**
 * Liquidation bursts of many markets on one side at once: longs (prices fall) or shorts (prices rise). Each market and
 * side is held against its own past windows. Time is that of the newest event: while the feed is silent nothing ends.
 * Every sum is "at least", as with single bursts; the request is theirs too.
 */
export default defineEpisodes({
  name: 'liquidation-cascade',
  description: msg('Liquidations far above normal on one side of many markets at once'),
  preset: 'quiet',
  schedule: '5,35 * * * * *',
  cost: 'the request is liquidation-burst’s',
  options,
  memory: rolledTape,
  /** An hour and more, by side: markets with a burst. */
  trail: { every: minute, most: 60, reach: Number.POSITIVE_INFINITY },
  rules: (options) => ({ ...options, calm: 1, breaks: 'critical', partial: true, news: true }),
  observe: ({ data, state, signal }) => liquidationsAfter(state?.memory?.read, data, signal),

  look(rows, { options, now, memory: past, baseline }) {
    const { window, exit, enter, critical, minTotalUsd, minHistory } = options;
    const { read, rolling: rolled, events } = rollTape(past, rows, nameOf, { ...options, now });
    if (events.length === 0) return { seen: [], memory: { read, rolling: rolled } };
    const { last: at } = read;
    const kept = Object.entries(rolled.names).filter(([, one]) => one.past >= 1 || one.buckets.length > 0);
    const seen = sides.map((key) => {
      const bursts = kept.flatMap(([name, one]) => {
        const [symbol = '', of] = name.split(' ');
        const sum = windowSum(one, at, window);
        return of === key && sum >= standingOut(one, rolled.weight, options) ? [{ symbol, sum }] : [];
      });
      const total = bursts.reduce((all, { sum }) => all + sum, 0);
      const sample = {
        at,
        side: bursts.length >= exit ? key : null,
        strong: bursts.length >= enter && total >= minTotalUsd && (baseline || rolled.weight >= minHistory),
        severity: bursts.length >= critical ? ('critical' as const) : ('warning' as const),
      };
      return { key, samples: [sample], trace: [at, bursts.length] as const, bursts, total, read };
    });
    return { seen, memory: { read, rolling: { ...rolled, names: Object.fromEntries(kept) } } };
  },

  tell({ status }, { key: side, bursts, total, read }, { options: { window, enter, critical }, past }) {
    const over = status === 'resolved';
    const markets = bursts.length;
    const values = { markets, usd: usd(total), minutes: count(window / minute) };
    const largest = bursts.toSorted((a, b) => b.sum - a.sum).slice(0, shown);
    return {
      labels: { side },
      title: over
        ? side === 'LONG'
          ? msg('Liquidation cascade of longs is over')
          : msg('Liquidation cascade of shorts is over')
        : side === 'LONG'
          ? msg('Liquidation cascade: longs of {markets} markets, at least {usd} in {minutes} min', values)
          : msg('Liquidation cascade: shorts of {markets} markets, at least {usd} in {minutes} min', values),
      summary: over
        ? msg('Liquidations are back to normal in most markets.')
        : side === 'LONG'
          ? msg('Falling prices close longs by force in many markets at once, which can push prices further.')
          : msg(
              'Rising prices close shorts by force in many markets at once, which can push prices further.',
            ),
      facts: [
        { name: msg('Markets'), value: count(markets) },
        ...(markets === 0
          ? []
          : [
              {
                name: msg('Liquidated in {minutes} min', { minutes: values.minutes }),
                value: msg('at least {usd}', { usd: values.usd }),
              },
              {
                name: msg('Largest'),
                value: listOf(largest.map(({ symbol, sum }) => join([marketName(symbol), usd(sum)], ' '))),
              },
            ]),
        ...(read.gaps.length === 0
          ? []
          : [
              {
                name: msg('Missing'),
                value: msg('more events between two checks than one answer holds'),
              },
            ]),
      ],
      ...lineOf(
        side === 'LONG' ? msg('Markets with long liquidations') : msg('Markets with short liquidations'),
        past,
        {
          name: msg('Markets'),
          marks: [
            { name: msg('cascade from'), value: enter },
            ...(past.some(([, bursting]) => bursting >= critical / 2)
              ? [{ name: msg('critical from'), value: critical, tone: 'bad' as const }]
              : []),
          ],
        },
      ),
      dataTime: read.last,
    };
  },
});

const nameOf = ({ symbol, side }: { readonly symbol: string; readonly side: string }) => `${symbol} ${side}`;
