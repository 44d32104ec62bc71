import { z } from 'zod';
import type { Card } from '../card/card.ts';
import { count, marketName, percent, share, span } from '../language/format.ts';
import { lines, msg, type Text } from '../language/text.ts';
import { notEnough, points, wholePoints } from '../record/record-fact.ts';
import type { KindScore } from '../record/records.ts';
import { enough } from '../record/score.ts';
import { day, parseDuration } from '../runtime/units.ts';
import { defineCommand } from '../shell/command.ts';
import { kind, symbol } from '../shell/input.ts';

export default defineCommand({
  name: 'scorecard',
  topic: 'past',
  description: msg('What the price did after posted alerts, compared with what it usually does'),
  input: z.object({
    kind: kind.describe('Only this kind of alert, over 1 h, 4 h and 24 h').optional(),
    symbol: symbol.describe('Only alerts about this market').optional(),
    after: z.enum(['1h', '4h', '24h']).default('24h').describe('How long after the alert'),
  }),
  async run({ kind, symbol, after }, { records }): Promise<Card> {
    const all = await records.scores({
      ...(kind !== undefined && { kind }),
      ...(symbol !== undefined && { symbol }),
    });
    const horizon = parseDuration(after) ?? day;
    const rows = kind === undefined ? all.filter((each) => each.horizon === horizon) : all;
    const judged = rows.filter(({ n, replayed }) => n > 0 || (replayed?.n ?? 0) > 0);
    const before = judged.some(({ replayed }) => replayed !== undefined);
    const estimated = judged.reduce((sum, each) => sum + each.estimated, 0);
    return {
      title: titleOf({ kind, symbol, horizon }),
      summary:
        kind !== undefined && rows.length === 0
          ? msg('Alerts of this kind make no claim about the price, so there is nothing to score.')
          : judged.length === 0
            ? msg('No posted alert is old enough to be scored yet.')
            : lines(
                msg('Past moves after posted alerts, not a forecast.'),
                definition(judged),
                msg(
                  'Difference: interval in percentage points, against hours as volatile. It leaves 0 out where a record differs from the usual; of those that do, at most 1 in 20 is by chance, over all kinds and horizons together (Benjamini–Hochberg). Would show: the smallest difference that so many alerts show in 4 of 5 cases; a smaller one may be there. Below {alerts} alerts on {days} days nothing is concluded.',
                  { alerts: count(enough.alerts), days: count(enough.days) },
                ),
                before
                  ? msg(
                      'Replayed: alerts these detectors would have sent before. Nobody received them; they are counted apart.',
                    )
                  : undefined,
              ),
      ...(judged.length > 0 && {
        table: {
          columns: [
            kind === undefined ? msg('Kind') : msg('After'),
            msg('Alerts'),
            msg('Median move (usual)'),
            msg('Hits (usual)'),
            msg('Difference'),
            msg('Would show'),
            ...(before ? [msg('Replayed')] : []),
          ],
          rows: judged.map((each) => [
            kind === undefined ? each.kind : span(each.horizon),
            ...cells(each),
            ...(before ? [replayedCell(each.replayed)] : []),
          ]),
        },
      }),
      ...(estimated > 0 && {
        facts: [
          {
            name: msg('Estimated'),
            value: msg(
              '{estimated, plural, one {# outcome uses} other {# outcomes use}} a price interpolated between two hourly ones',
              { estimated },
            ),
          },
        ],
      }),
    };
  },
});

function titleOf({
  kind,
  symbol,
  horizon,
}: {
  readonly kind: string | undefined;
  readonly symbol: string | undefined;
  readonly horizon: number;
}): Text {
  if (kind !== undefined && symbol !== undefined)
    return msg('Scorecard of {kind}, {symbol}', { kind, symbol: marketName(symbol) });
  if (kind !== undefined) return msg('Scorecard of {kind}', { kind });
  const after = span(horizon);
  return symbol === undefined
    ? msg('Scorecard, {after} after', { after })
    : msg('Scorecard of {symbol}, {after} after', { symbol: marketName(symbol), after });
}

/** What a hit is, for the kinds that are shown. */
function definition(scores: readonly KindScore[]): Text {
  const ways = new Map(scores.flatMap(({ kind, way }) => (way === undefined ? [] : [[kind, way] as const])));
  return lines(
    ...[...ways].map(([kind, way]) =>
      msg('A hit for {kind}: the price went {way}. Moves count in that direction.', { kind, way }),
    ),
    scores.some(({ sense }) => sense === 'size')
      ? msg(
          'Hit{others, select, yes { of the others} other {}}: the price had moved, either way, by more than its own market does half of the time after hours as volatile. Moves count without a sign.',
          { others: ways.size > 0 ? 'yes' : 'no' },
        )
      : undefined,
  );
}

/** A size has no sign. */
const move = (value: number, sense: KindScore['sense']): Text =>
  sense === 'way' ? percent(value * 100) : share(value, 2);

function cells({ n, days, sense, found, finding }: KindScore): Text[] {
  if (found === undefined || finding === undefined) return [count(n), notEnough({ n, days }), '', '', ''];
  const { move: moves, hits } = found;
  const beside = (value: Text, usual: Text) => msg('{value} ({usual})', { value, usual });
  return [
    count(n),
    beside(move(moves.median, sense), move(moves.usual, sense)),
    beside(share(hits.share), share(hits.usual)),
    points(finding.edge),
    wholePoints(finding.shows),
  ];
}

/** Its difference, and of how many; it is never added to what was posted. */
const replayedCell = (replayed: KindScore['replayed']): Text =>
  replayed?.finding === undefined
    ? notEnough({ n: replayed?.n ?? 0, days: replayed?.days ?? 0 })
    : msg('{edge} of {n}', { edge: points(replayed.finding.edge), n: count(replayed.n) });
