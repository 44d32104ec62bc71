import { episodes, lastWanted, shownIn, storms, wishes } from './storm.ts';

/** One whole POST as it reached a receiver, in the order in which they came. */
export interface Arrival {
  /** How many kills came before it. */
  readonly life: number;
  readonly receiver: string;
  /** Its Idempotency-Key. */
  readonly key: string;
  readonly body: string;
}

/** One question a storm asked, which says how far it had counted. */
export interface Question {
  readonly life: number;
  readonly symbol: string;
}

export interface Verdict {
  /** Episodes that fired, and all their revisions. */
  readonly alerts: number;
  readonly revisions: number;
  /** Arrivals with a key that had come before. */
  readonly doubled: number;
  /** Of these, those that were not in flight at a kill: the last to reach their receiver in a life, once a kill. */
  readonly doubledTooOften: readonly string[];
  /** What a receiver wants and neither it nor a later revision has come. */
  readonly lost: readonly string[];
  /** Posts that show nothing new, an older revision after a newer one, what nobody there wants, or one key's other. */
  readonly wrong: readonly string[];
  /** Storms that began anew or counted otherwise than by one. */
  readonly forgotten: readonly string[];
}

/**
 * Judges all lives together, as a receiver does that honours the Idempotency-Key: a key that has come is not read
 * again. @param counted how far each storm has counted in the end
 */
export function judge(
  arrivals: readonly Arrival[],
  questions: readonly Question[],
  counted: ReadonlyMap<string, number>,
): Verdict {
  const told = new Map(storms.flatMap(({ name }) => [...episodes(name, counted.get(name) ?? 0)]));
  const doubledTooOften: string[] = [];
  const wrong: string[] = [];
  const lost: string[] = [];
  let doubled = 0;
  for (const receiver of Object.keys(wishes)) {
    const keys = new Map<string, string>();
    const shown = new Map<string, number>();
    const inFlight = new Map<string, number>();
    let last: Arrival | undefined;
    for (const arrival of arrivals.filter((each) => each.receiver === receiver)) {
      const line = `${receiver}, life ${arrival.life}: ${arrival.body}`;
      if (last !== undefined && last.life < arrival.life) {
        inFlight.set(last.key, (inFlight.get(last.key) ?? 0) + 1);
      }
      if (keys.has(arrival.key)) {
        doubled += 1;
        const left = inFlight.get(arrival.key) ?? 0;
        if (left === 0) doubledTooOften.push(line);
        inFlight.set(arrival.key, left - 1);
        if (keys.get(arrival.key) !== String(shownIn(arrival.body))) wrong.push(`says otherwise: ${line}`);
      } else {
        const now = shownIn(arrival.body);
        if (!now.some(([name, revision]) => revision > (shown.get(name) ?? 0)))
          wrong.push(`nothing new: ${line}`);
        for (const [name, revision] of now) {
          if (revision < (shown.get(name) ?? 0)) wrong.push(`went back: ${line}`);
          if (lastWanted(receiver, told.get(name) ?? []) === undefined) wrong.push(`not wanted: ${line}`);
          shown.set(name, revision);
        }
      }
      if (!keys.has(arrival.key)) keys.set(arrival.key, String(shownIn(arrival.body)));
      last = arrival;
    }
    for (const [name, revisions] of told) {
      const wanted = lastWanted(receiver, revisions) ?? 0;
      const seen = shown.get(name) ?? 0;
      if (seen < wanted) lost.push(`${receiver}: ${name} revision ${wanted}, saw ${seen}`);
    }
  }
  return {
    alerts: told.size,
    revisions: [...told.values()].reduce((sum, revisions) => sum + revisions.length, 0),
    doubled,
    doubledTooOften,
    lost,
    wrong,
    forgotten: storms.flatMap(({ name }) => forgotten(name, questions)),
  };
}

/** A poll may be repeated after a kill, and never in the same life; nothing else but the next number may follow. */
function forgotten(name: string, questions: readonly Question[]): string[] {
  const asked = questions.filter(({ symbol }) => symbol.startsWith(name.toUpperCase()));
  return asked.slice(1).flatMap((question, index) => {
    const before = asked[index];
    const [from, to] = [before?.symbol, question.symbol].map((symbol) => {
      const count = symbol?.slice(name.length);
      return count === 'BASELINE' ? -1 : Number(count);
    }) as [number, number];
    const allowed = to === from + 1 || (to === from && question.life > (before?.life ?? 0));
    return allowed ? [] : [`${name}, life ${question.life}: ${question.symbol} after ${before?.symbol}`];
  });
}
