import { type Alert, escalated } from '#src/alert/alert.ts';
import { lastWanted, pointsOn, shownIn } from './storm.ts';
import type { Arrival, Verdict } from './verdict.ts';

export type ReceiverVerdict = Pick<
  Verdict,
  'doubled' | 'doubledTooOften' | 'unlogged' | 'stale' | 'overtaken' | 'lost' | 'wrong'
>;

/** Read once: a run is judged at every step of it. */
const read = new WeakMap<Arrival, ReturnType<typeof shownIn>>();
function told(arrival: Arrival): ReturnType<typeof shownIn> {
  const known = read.get(arrival) ?? shownIn(arrival.body);
  read.set(arrival, known);
  return known;
}

/**
 * Judges as whoever reads there: a webhook's receiver honours the Idempotency-Key and does not read a key again that
 * has come; a person reads every message, and is called by new ones only.
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
  /** By key: the last of it that was doubled. */
  const doubles = new Map<string, Arrival>();
  const shown = new Map<string, number>();
  /** What was the last to arrive before a kill, or of one that was dead, and may therefore come again, each once. */
  const inFlight: Arrival[] = [];
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
    // Others have said since what is newer, or the same.
    const overtaken =
      arrival.late === true && now.every(([name, revision]) => revision <= (shown.get(name) ?? 0));
    const news = now.filter(([name, revision]) => revision > (shown.get(name) ?? 0));
    const before = act === 'edit' ? undefined : posts.get(key);
    if (overtaken && before === undefined && act !== 'post') {
      if (act === undefined) posts.set(key, arrival);
      continue;
    }
    // A doubt is settled by the same again, or by an edit of the post that was found.
    const doubt = inFlight.findLastIndex(
      (each) => each.key === key && (act === 'edit' || each.act === act || each.quiet === true),
    );
    const found = act === 'edit' && inFlight[doubt]?.act === 'post';
    if (before !== undefined) {
      doubled += 1;
      doubles.set(key, arrival);
      if (doubt < 0 && !overtaken) doubledTooOften.push(line);
      if (act === undefined && String(shownIn(before.body)) !== String(now))
        wrong.push(`says otherwise: ${line}`);
    } else if (news.length === 0 && doubt < 0) {
      wrong.push(`nothing new: ${line}`);
    }
    if (act === 'edit' && !found && news.some((each) => calls(revisions, each)))
      wrong.push(`calls nobody: ${line}`);
    if (doubt >= 0) inFlight.splice(doubt, 1);
    // The same post again, of one that died while it was on the wire, may arrive behind what others have posted since.
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
      // By the episode: once it is over its title is that of its peak, whatever the doubled message said.
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

/** Whether a revision is one that people are to be called for. */
function calls(
  revisions: ReadonlyMap<string, readonly Alert[]>,
  [name, revision]: [string, number],
): boolean {
  const alert = revisions.get(name)?.[revision - 1];
  return alert !== undefined && (revision === 1 || escalated(alert));
}

/** The lowest message of each episode must show its latest; one that did may show less since something came late. */
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
