import { type Alert, escalated } from '#src/alert/alert.ts';
import { lastWanted, pointsOn, shownIn } from './storm.ts';
import type { Arrival, Verdict } from './verdict.ts';

export type ReceiverVerdict = Pick<
  Verdict,
  'doubled' | 'doubledTooOften' | 'unlogged' | 'stale' | 'overtaken' | 'lost' | 'wrong'
>;

/** Parsed texts by arrival, kept because chaos runs judge the same arrivals after every step. */
const read = new WeakMap<Arrival, ReturnType<typeof shownIn>>();
function told(arrival: Arrival): ReturnType<typeof shownIn> {
  const known = read.get(arrival) ?? shownIn(arrival.body);
  read.set(arrival, known);
  return known;
}

/**
 * Judges what one receiver got, from its point of view: a webhook's receiver honours the Idempotency-Key and ignores a
 * key that it has seen; a person reads every message, and is notified of new messages only.
 */
export function judgeReceiver(
  receiver: string,
  arrivals: readonly Arrival[],
  revisions: ReadonlyMap<string, readonly Alert[]>,
  noted: readonly string[],
): ReceiverVerdict {
  const doubledTooOften: string[] = [];
  const wrong: string[] = [];
  const posts = new Map<string, Arrival>();
  /** The last doubled arrival by key. */
  const doubles = new Map<string, Arrival>();
  const shown = new Map<string, number>();
  /** Arrivals that may come again, each once: the last one before a kill, or one whose sender was dead already. */
  const inFlight: Arrival[] = [];
  /** Edits of posts that were in doubt. As long as such an edit is in flight, its post is in doubt too, and is found again. */
  const finds = new Set<Arrival>();
  let doubled = 0;
  let last: Arrival | undefined;
  for (const arrival of arrivals) {
    const { key, act } = arrival;
    const line = `${receiver}, life ${arrival.life}: ${act ?? ''} ${arrival.body}`;
    if (last !== undefined && (last.unheard === true || last.life < arrival.life)) inFlight.push(last);
    if (pointsOn(arrival.body)) {
      last = arrival;
      continue;
    }
    const now = told(arrival);
    // Other processes have sent the same or newer revisions since.
    const overtaken =
      arrival.late === true && now.every(([name, revision]) => revision <= (shown.get(name) ?? 0));
    const news = now.filter(([name, revision]) => revision > (shown.get(name) ?? 0));
    const before = act === 'edit' ? undefined : posts.get(key);
    if (overtaken && before === undefined) {
      if (act !== 'edit') posts.set(key, arrival);
      continue;
    }
    // The doubt is settled by the same arrival again, or by an edit of the post that the bot found.
    const doubt = inFlight.findLastIndex(
      (each) => each.key === key && (act === 'edit' || each.act === act || each.quiet === true),
    );
    const doubtful = inFlight[doubt];
    const found =
      act === 'edit' && doubtful !== undefined && (doubtful.act === 'post' || finds.has(doubtful));
    if (found) finds.add(arrival);
    if (before !== undefined) {
      doubled += 1;
      doubles.set(key, arrival);
      if (doubt < 0 && !overtaken) doubledTooOften.push(line);
      if (act === undefined && String(shownIn(before.body)) !== String(now))
        wrong.push(`says otherwise: ${line}`);
    } else if (news.length === 0 && doubt < 0 && !repeatsLost(arrival, inFlight)) {
      wrong.push(`nothing new: ${line}`);
    }
    if (act === 'edit' && !found && news.some((each) => calls(revisions, each)))
      wrong.push(`calls nobody: ${line}`);
    if (doubt >= 0) inFlight.splice(doubt, 1);
    // A repeated post of a process that died while the post was on the wire may arrive after newer posts of other processes.
    const late = before !== undefined && (doubt >= 0 || overtaken);
    if (before === undefined || act !== undefined) {
      for (const [name, revision] of now) {
        if (late && revision < (shown.get(name) ?? 0)) continue;
        if (revision < (shown.get(name) ?? 0)) wrong.push(`went back: ${line}`);
        if (lastWanted(receiver, revisions.get(name) ?? []) === undefined) wrong.push(`not wanted: ${line}`);
        shown.set(name, revision);
      }
    }
    if (act !== 'edit') posts.set(key, arrival);
    last = arrival;
  }
  return {
    doubled,
    doubledTooOften,
    wrong,
    unlogged: [...doubles.values()]
      // Matched by episode: once an episode is over its title is that of its peak, whatever the doubled message said.
      .filter(
        ({ body }) => !shownIn(body).some(([name]) => noted.some((title) => title.startsWith(`${name} `))),
      )
      .map(({ life, body }) => `${receiver}, life ${life}: ${body}`),
    ...outdated(receiver, arrivals, shown),
    lost: [...revisions].flatMap(([name, revisions]) => {
      const wanted = lastWanted(receiver, revisions) ?? 0;
      const seen = shown.get(name) ?? 0;
      return seen < wanted ? [`${receiver}: ${name} rev ${wanted}, saw ${seen}`] : [];
    }),
  };
}

/**
 * Whether all that a message shows was shown before by one whose outcome the bot may not know, and that another kind of
 * message repeats when quiet hours begin or end: an edit repeats a post or an edit, and a post repeats an edit.
 */
const repeatsLost = (arrival: Arrival, inFlight: readonly Arrival[]): boolean =>
  inFlight.some(
    (each) =>
      (arrival.act === 'edit' || (arrival.act === 'post' && each.act === 'edit')) &&
      told(arrival).every(([name, revision]) =>
        told(each).some(([other, shown]) => other === name && shown === revision),
      ),
  );

/** Whether a revision is one that people must be notified of. */
function calls(
  revisions: ReadonlyMap<string, readonly Alert[]>,
  [name, revision]: [string, number],
): boolean {
  const alert = revisions.get(name)?.[revision - 1];
  return alert !== undefined && (revision === 1 || escalated(alert));
}

/**
 * Returns the episodes whose lowest message in the chat does not show the latest revision. A message that is outdated
 * only because an older one arrived late is returned as `overtaken`.
 */
function outdated(
  receiver: string,
  arrivals: readonly Arrival[],
  shown: ReadonlyMap<string, number>,
): Pick<Verdict, 'stale' | 'overtaken'> {
  const lowest = new Map<string, string>();
  const says = new Map<string, number>();
  const reached = new Map<string, number>();
  const overtaken = new Map<string, string>();
  for (const { key, body, act, late } of arrivals) {
    for (const [name, revision] of pointsOn(body) ? [] : shownIn(body)) {
      const most = reached.get(name) ?? 0;
      const isLowest = act !== 'edit' || lowest.get(name) === key;
      if (late && revision < most) {
        if (isLowest) overtaken.set(name, `${receiver}: ${name} rev ${revision}, was told of ${most}`);
        continue;
      }
      if (isLowest) overtaken.delete(name);
      if (act !== 'edit') lowest.set(name, key);
      says.set(`${key} ${name}`, revision);
      reached.set(name, Math.max(most, revision));
    }
  }
  const stale = [...lowest].flatMap(([name, key]) => {
    const revision = says.get(`${key} ${name}`) ?? 0;
    const latest = shown.get(name) ?? 0;
    return revision < latest ? [`${receiver}: ${name} rev ${revision}, was told of ${latest}`] : [];
  });
  return { stale, overtaken: [...overtaken.values()] };
}
