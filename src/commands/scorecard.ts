import { z } from 'zod';
import type { Fact } from '../alert/alert.ts';
import { kindsText } from '../alert/subscription.ts';
import type { Card } from '../card/card.ts';
import { count, marketName, percent, share, span } from '../language/format.ts';
import { join, lines, msg, type Text } from '../language/text.ts';
import { readKnownKinds } from '../places/editing.ts';
import { notEnough, points, wholePoints } from '../record/record-fact.ts';
import { type KindScore, recently } from '../record/records.ts';
import { compact } from '../runtime/compact.ts';
import { day, parseDuration } from '../runtime/units.ts';
import { defineCommand } from '../shell/command.ts';
import { ownKind, symbol } from '../shell/input.ts';
import { judgedOf, recordMethod } from './kit/record-method.ts';

export default defineCommand({
  name: 'scorecard',
  topic: 'past',
  description: msg('What the price did after posted alerts, compared with what it usually does'),
  input: z.object({
    kind: ownKind.describe('Only this kind of alert, over 1 h, 4 h and 24 h').optional(),
    symbol: symbol.describe('Only alerts about this market').optional(),
    after: z.enum(['1h', '4h', '24h']).default('24h').describe('How long after the alert'),
  }),
  async run({ kind, symbol, after }, context): Promise<Card> {
    const { records } = context;
    const known = await readKnownKinds(context.caller.receiver, context);
    const nameOf = (each: string) => kindsText([each], known);
    const all = await records.scores({ kind, symbol });
    const horizon = parseDuration(after) ?? day;
    const rows = kind === undefined ? all.filter((each) => each.horizon === horizon) : all;
    const judged = judgedOf(rows);
    const hasOlder = judged.some(({ recent }) => recent !== undefined);
    const hasReplayed = judged.some(({ replayed }) => replayed !== undefined);
    const { smallest } = context.kinds.find((each) => each.name === kind) ?? {};
    const estimated = judged.reduce((sum, each) => sum + each.estimated, 0);
    return {
      title: join(
        compact<Text>([
          msg('Scorecard'),
          kind !== undefined && nameOf(kind),
          symbol !== undefined && marketName(symbol),
          kind === undefined && msg('after {time}', { time: span(horizon) }),
        ]),
        ', ',
      ),
      summary:
        kind !== undefined && rows.length === 0
          ? msg('Alerts of this kind make no claim about the price, so there is nothing to score.')
          : judged.length === 0
            ? msg('No posted alert is old enough to be scored yet.')
            : lines(...recordMethod(judged, nameOf)),
      table: {
        columns: compact<Text>([
          kind === undefined ? msg('Kind') : msg('After'),
          msg('Alerts'),
          msg('Median move (usual)'),
          msg('Hits (usual)'),
          msg('Difference'),
          msg('Would show'),
          hasOlder && msg('Last {days} days', { days: count(recently / day) }),
          hasReplayed && msg('Replayed'),
        ]),
        rows: judged.map((each) =>
          compact<Text>([
            kind === undefined ? nameOf(each.kind) : span(each.horizon),
            ...cells(each),
            hasOlder && otherCell(each.recent ?? each),
            hasReplayed && otherCell(each.replayed),
          ]),
        ),
      },
      facts: compact<Fact>([
        smallest !== undefined && { name: msg('Smallest alert'), value: smallest },
        estimated > 0 && {
          name: msg('Estimated'),
          value: msg(
            '{estimated, plural, one {# outcome uses} other {# outcomes use}} a price interpolated between two hourly ones',
            { estimated },
          ),
        },
      ]),
    };
  },
});

/** Writes a move: with a sign if its direction counts, without one if only its size does. */
const move = (value: number, sense: KindScore['sense']): Text =>
  sense === 'way' ? percent(value * 100) : share(value, 2);

function cells({ n, days, sense, found, finding }: KindScore): Text[] {
  if (found === undefined || finding === undefined) return [count(n), notEnough({ n, days }), '', '', ''];
  const { move: moves, hits } = found;
  const withUsual = (value: Text, usual: Text) => msg('{value} ({usual})', { value, usual });
  return [
    count(n),
    withUsual(move(moves.median, sense), move(moves.usual, sense)),
    withUsual(share(hits.share), share(hits.usual)),
    points(finding.interval),
    wholePoints(finding.detectable),
  ];
}

/** Writes the difference and number of other alerts: the latest, or replayed ones, which are never added to the posted. */
const otherCell = (other: KindScore['replayed']): Text =>
  other?.finding === undefined
    ? notEnough({ n: other?.n ?? 0, days: other?.days ?? 0 })
    : msg('{edge} of {n}', { edge: points(other.finding.interval), n: count(other.n) });
