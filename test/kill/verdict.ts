import { judgeReceiver, type ReceiverVerdict } from './receiver-verdict.ts';
import { episodes, storms, wishes } from './storm.ts';

/** What one whole request did at a receiver, in the order in which they came. */
export interface Arrival {
  readonly notifier: string;
  /** How many kills came before it. */
  readonly life: number;
  readonly receiver: string;
  /** Of a webhook its Idempotency-Key; in a chat what tells its message from any other that is meant. */
  readonly key: string;
  readonly body: string;
  /** In chats, where a message lives: what is posted again may say more, and what is edited again what it said. */
  readonly act?: 'post' | 'edit';
  /** Where a post again cannot be told from an edit unless it makes a sound: this made none. */
  readonly quiet?: boolean;
  /** When it came, whoever had sent it had died, or stood still: it may come after what others have sent since. */
  readonly late?: boolean;
  /** Whoever had sent it was dead by then: whatever comes in its stead may have begun before this arrived. */
  readonly unheard?: boolean;
}

/** One question a storm asked, which says how far it had counted. */
export interface Question {
  readonly life: number;
  readonly symbol: string;
  /** Where it was asked: each of several processes has its own. */
  readonly path?: string;
}

export interface Verdict {
  /** Episodes that fired, and all their revisions. */
  readonly alerts: number;
  readonly revisions: number;
  readonly notifications: number;
  /** Posts with a key that had come before. */
  readonly doubled: number;
  /** Of these, those that were not in flight at a kill: the last to reach their receiver in a life, once a kill. */
  readonly doubledTooOften: readonly string[];
  /** Doubled, and no delivery of it is noted as such. */
  readonly unlogged: readonly string[];
  /** Messages that show what is no longer so, below all others that show it. */
  readonly stale: readonly string[];
  /** Messages that showed what is so until what is older came late. */
  readonly overtaken: readonly string[];
  /** What a receiver wants and neither it nor a later revision has come. */
  readonly lost: readonly string[];
  /** Posts that show nothing new, an older revision after a newer one, what nobody there wants, or one key's other. */
  readonly wrong: readonly string[];
  /** Storms that began anew or counted otherwise than by one. */
  readonly forgotten: readonly string[];
}

/**
 * Judges all lives of one notifier together.
 * @param counted how far each storm has counted in the end
 * @param noted titles of the deliveries noted as possibly doubled, by receiver
 */
export function judge(
  arrivals: readonly Arrival[],
  questions: readonly Question[],
  counted: ReadonlyMap<string, number>,
  noted: ReadonlyMap<string, readonly string[]> = new Map(),
): Verdict {
  const revisions = new Map(storms.flatMap(({ name }) => [...episodes(name, counted.get(name) ?? 0)]));
  const verdicts = Object.keys(wishes).map((receiver) =>
    judgeReceiver(
      receiver,
      arrivals.filter((each) => each.receiver === receiver),
      revisions,
      noted.get(receiver) ?? [],
    ),
  );
  const all = (list: Exclude<keyof ReceiverVerdict, 'doubled'>) => verdicts.flatMap((each) => each[list]);
  return {
    alerts: revisions.size,
    revisions: [...revisions.values()].reduce((sum, revisions) => sum + revisions.length, 0),
    notifications: arrivals.length,
    doubled: verdicts.reduce((sum, { doubled }) => sum + doubled, 0),
    doubledTooOften: all('doubledTooOften'),
    unlogged: all('unlogged'),
    stale: all('stale'),
    overtaken: all('overtaken'),
    lost: all('lost'),
    wrong: all('wrong'),
    forgotten: storms.flatMap(({ name }) => forgotten(name, questions)),
  };
}
/**
 * A poll may be repeated after a kill, and never in the same life, but by another process than one that was stopped, or cut
 * off, and asks no more in that life; nothing else but the next number may follow.
 */
function forgotten(name: string, questions: readonly Question[]): string[] {
  const asked = questions.filter(({ symbol }) => symbol.startsWith(name.toUpperCase()));
  return asked.slice(1).flatMap((question, index) => {
    const before = asked[index];
    const [from, to] = [before?.symbol, question.symbol].map((symbol) => {
      const count = symbol?.slice(name.length);
      return count === 'BASELINE' ? -1 : Number(count);
    }) as [number, number];
    const later = question.life > (before?.life ?? 0);
    const goesOn = ({ path, life }: Question) => path === before?.path && life === question.life;
    const relieved = question.path !== before?.path && !asked.slice(index + 2).some(goesOn);
    const allowed = to === from + 1 || (to === from && (later || relieved));
    return allowed ? [] : [`${name}, life ${question.life}: ${question.symbol} after ${before?.symbol}`];
  });
}
