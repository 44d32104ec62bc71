import { count } from '../../language/format.ts';
import { msg, type Text } from '../../language/text.ts';
import { replayedYears } from '../../record/record-fact.ts';
import type { KindScore } from '../../record/records.ts';
import { enough } from '../../record/score.ts';
import { compact } from '../../runtime/compact.ts';

/** Explains in lines what a record counts and how, for the kinds that are shown. */
export function recordMethod(scores: readonly KindScore[], nameOf: (kind: string) => Text): readonly Text[] {
  const ways = new Map(scores.flatMap(({ kind, way }) => (way === undefined ? [] : [[kind, way] as const])));
  return compact([
    msg('Past moves after posted alerts, not a forecast.'),
    ...[...ways].map(([kind, way]) =>
      msg('A hit for {kind}: the price went {way}. Moves count in that direction.', {
        kind: nameOf(kind),
        way,
      }),
    ),
    scores.some(({ sense }) => sense === 'size') &&
      msg(
        'Hit{others, select, yes { of the others} other {}}: the price had moved, either way, by more than its own market does half of the time after hours as volatile, at that hour of the week. Moves count without a sign.',
        { others: ways.size > 0 ? 'yes' : 'no' },
      ),
    msg(
      'Difference: interval in percentage points, against all hours as volatile but the alerts’ own. It leaves 0 out where a record differs from the usual; of those that do, at most 1 in 20 is by chance, over all kinds and horizons together (Benjamini–Hochberg). Would show: the smallest difference that so many alerts show in 4 of 5 cases; a smaller one may be there. Below {alerts} alerts on {days} days nothing is concluded.',
      { alerts: count(enough.alerts), days: count(enough.days) },
    ),
    scores.some(({ replayed }) => replayed !== undefined) &&
      msg(
        'Replayed: alerts these detectors would have sent on bitcoin’s recorded hours and funding of {years}. Nobody received them; they are counted apart.',
        { years: replayedYears },
      ),
  ]);
}

/** Returns the scores for which any alert was counted. */
export const judgedOf = (scores: readonly KindScore[]): readonly KindScore[] =>
  scores.filter(({ n, replayed }) => n > 0 || (replayed?.n ?? 0) > 0);
