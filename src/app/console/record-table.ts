import { kindsText } from '../../alert/subscription.ts';
import { judgedOf, recordMethod } from '../../commands/kit/record-method.ts';
import { share, span } from '../../language/format.ts';
import { type Reader, say } from '../../language/say.ts';
import { join, msg, type Text } from '../../language/text.ts';
import type { ReadRecord, RecordCell } from '../../platforms/web/ports/record-table.ts';
import { notEnough, points, recordFact, wholePoints } from '../../record/record-fact.ts';
import type { KindScore } from '../../record/records.ts';
import { compact } from '../../runtime/compact.ts';
import type { Answering } from '../answer-commands.ts';

/** Reads the record of every kind over every horizon, with the same numbers as the command `scorecard`. */
export const createRecordTable =
  ({ contextOf }: Pick<Answering, 'contextOf'>): ReadRecord =>
  async (given) => {
    const { caller, kinds, records } = await contextOf(given);
    const scores = await records.scores();
    const judged = judgedOf(scores);
    return {
      rows: scores.map((score) => {
        const { kind, horizon, way, recent, replayed } = score;
        const { smallest } = kinds.find(({ name }) => name === kind) ?? {};
        return {
          kind,
          horizon,
          after: say(span(horizon), caller),
          about: say(aboutOf(smallest, way), caller),
          posted: cellOf(score, caller),
          recent: cellOf(recent ?? score, caller),
          replayed: replayed && cellOf(replayed, caller),
        };
      }),
      method: recordMethod(judged.length === 0 ? scores : judged, (kind) => kindsText([kind])).map((line) =>
        say(line, caller),
      ),
    };
  };

const aboutOf = (smallest: Text | undefined, way: Text | undefined): Text =>
  join(
    compact([
      smallest,
      way === undefined
        ? msg('says that the price moves more than usual')
        : msg('says that the price goes {way}', { way }),
    ]),
    '; ',
  );

function cellOf(score: KindScore, reader: Reader): RecordCell {
  const translate = (text: Text) => say(text, reader);
  const { n, days, found, finding } = score;
  if (found === undefined || finding === undefined) return { n, said: translate(notEnough({ n, days })) };
  const { hits, excess } = found;
  const { verdict: says, interval: edge, detectable: shows } = finding;
  return {
    n,
    said: translate(recordFact(score).value),
    found: {
      difference: excess.mean,
      edge,
      shows,
      edgeText: translate(points(edge)),
      showsText: translate(wholePoints(shows)),
      hitsText: translate(msg('{value} ({usual})', { value: share(hits.share), usual: share(hits.usual) })),
      says,
    },
  };
}
