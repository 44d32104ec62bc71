import { z } from 'zod';
import type { EndpointAnswer } from '../contract/index.ts';
import { marketName, percent, share, span, usd } from '../language/format.ts';
import { listOf, msg, type Text } from '../language/text.ts';
import { hour, minute, second } from '../runtime/units.ts';
import { defineEpisodes, hasTurned, lostData, setting } from './kit/define-episodes.ts';
import { followedRows, rowRules, venueTitle } from './kit/rows.ts';

const maxRows = 200;

/** How far open interest had changed in 1 h at the last sample on the episode's side: percent and USD. */
const note = z.object({ pct: z.number(), usd: z.number() });
type Row = EndpointAnswer<'oiAggregate'>['data'][number];

/**
 * Alerts when a market's open interest, summed over exchanges and counted in coins, builds up or unwinds within an
 * hour. Positions that move from one exchange to another do not change the sum. A venue that is not known at both ends
 * of the hour is left out of the change.
 */
export default defineEpisodes({
  name: 'oi-all-venues',
  description: msg('A market’s open interest, summed over exchanges, builds up or unwinds within an hour'),
  preset: 'everything',
  smallest: ({ enter, minUsd }) =>
    msg('{size} of the open interest and {usd} in {window}', {
      size: share(enter / 100),
      usd: usd(minUsd),
      window: span(hour),
    }),
  schedule: '35 */5 * * * *',
  cost: 'one request, of all symbols and venues',
  groupWait: 30 * second,
  options: {
    enter: setting.positive(5, 'percent of the coins held, over 1 h, at the venues known at both ends'),
    exit: setting.positive(2, 'percent below which it ends'),
    critical: setting.positive(12, 'percent'),
    minUsd: setting.number(5_000_000, 'USD opened or closed in that hour; less may be one position'),
    venues: setting.integer(2, 'known at both ends; of one alone oi-momentum tells', '[1, ∞)'),
    confirm: setting.integer(2, 'looks in a row'),
    calm: setting.integer(3, 'looks in a row below exit before it has ended'),
    cooldown: setting.duration('4h', 'after its end, of the same side unless it is worse'),
  },
  check: setting.levelsAscend,
  note,
  trail: { interval: 15 * minute, maxValues: 96 },
  rules: rowRules,
  observe: ({ data, signal }) => data.oiAggregate({ limit: maxRows }, signal),

  look: ({ data }, { options, now, values }) =>
    followedRows(data, {
      values,
      now,
      read: ({ change1h: change }) =>
        change !== undefined && change.venues.length >= options.venues ? change : undefined,
      judge({ pct, usd }, { totalUsd }) {
        const size = Math.abs(pct);
        const moving = size >= options.exit;
        return {
          side: moving ? (pct > 0 ? 'BUILDUP' : 'UNWIND') : null,
          strong: size >= options.enter && Math.abs(usd) >= options.minUsd,
          severity: size >= options.critical ? 'critical' : 'warning',
          note: { pct, usd },
          ...(moving && { traced: totalUsd }),
        };
      },
    }),

  labelsOf: (symbol, signal) => ({ symbol, signal }),

  tell(transition, { seen, past }) {
    const { ended, side: signal, note: last } = transition;
    const { key: symbol, row } = seen;
    const name = marketName(symbol);
    const change = row?.change1h;
    const pct = change?.pct ?? last?.pct ?? 0;
    const values = { symbol: name, signal, pct: percent(pct, 1) };
    return {
      title: ended
        ? msg(
            '{symbol} open interest across exchanges: {signal, select, UNWIND {unwind} other {build-up}} over ({pct} in 1 h)',
            values,
          )
        : msg(
            '{symbol} open interest {signal, select, UNWIND {unwinds} other {builds up}} across exchanges: {pct} in 1 h',
            values,
          ),
      summary: ended
        ? endOf(signal, hasTurned(transition, seen))
        : msg(
            'Counted in coins over the exchanges known at both ends: neither the price nor positions that move between them make it.',
          ),
      facts: [
        change !== undefined && [
          signal === 'UNWIND' ? msg('Closed in 1 h') : msg('Opened in 1 h'),
          usd(Math.abs(change.usd)),
        ],
        row !== undefined && [msg('Open interest in all'), usd(row.totalUsd)],
        ...(row === undefined ? [] : legsOf(row)),
        change !== undefined && [
          msg('Compared'),
          listOf(change.venues.map((venue) => venueTitle(row, venue))),
        ],
        row?.change24h !== undefined && [msg('Change in 24 h'), percent(row.change24h.pct, 1)],
      ],
      picture: {
        subject: msg('Open interest of {symbol} across exchanges', values),
        unit: 'USD',
        line: [name, past],
      },
      prominence: Math.abs(pct),
      inGroup: {
        name: signal === 'UNWIND' ? msg('OI unwinds across exchanges') : msg('OI builds up across exchanges'),
        row: msg('{symbol}: {pct} in 1 h', values),
        change: { symbol, pct },
      },
      ...(seen.lost !== undefined && lostData(name, seen.lost)),
    };
  },
});

function endOf(signal: string, turned: boolean): Text {
  return turned
    ? msg('Open interest has turned round: it now {way, select, up {builds up} other {unwinds}} instead.', {
        way: signal === 'UNWIND' ? 'up' : 'down',
      })
    : msg('Open interest across exchanges is changing at its normal pace again.');
}

const legsOf = ({ legs }: Row) =>
  legs.map(
    ({ title, usd: held, sharePct }) =>
      [title, msg('{usd} ({share})', { usd: usd(held), share: share(sharePct / 100) })] as const,
  );
