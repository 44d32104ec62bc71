import { judgeReceiver, type ReceiverVerdict } from './receiver-verdict.ts';
import { episodes, storms, wishes } from './storm.ts';

/** What one complete request did at a receiver. Arrivals are in the order in which they came. */
export interface Arrival {
  readonly notifier: string;
  /** Number of kills before the arrival. */
  readonly life: number;
  /** The id of the process that sent it, if its end of the connection says so. */
  readonly sender?: number;
  readonly receiver: string;
  /** The Idempotency-Key of a webhook; in a chat, an identifier of the message that was meant. */
  readonly key: string;
  readonly body: string;
  /** Absent at webhooks. In chats a repeated post may have a newer text, and a repeated edit the same text. */
  readonly act?: 'post' | 'edit';
  /** For platforms where an edit differs from a post only by making no sound: whether the message made none. */
  readonly quiet?: boolean;
  /** The sender had died or was frozen when the message came; messages of other processes may have come before it. */
  readonly late?: boolean;
  /** The sender was dead when the message came; its successor may have begun to send before that. */
  readonly unheard?: boolean;
}

/** One question of a storm to the data service; the symbol contains how far the storm had counted. */
export interface Question {
  readonly life: number;
  readonly symbol: string;
  /** The path of the URL: each of several processes has its own. */
  readonly path?: string;
}

export interface Verdict {
  /** Number of episodes that fired, and of all their revisions. */
  readonly alerts: number;
  readonly revisions: number;
  readonly notifications: number;
  /** Number of posts with a key that had come before. */
  readonly doubled: number;
  /** Doubled posts that were not in flight at a kill, that is: not the last to reach the receiver in a life. */
  readonly doubledTooOften: readonly string[];
  /** Doubled posts without a delivery that is logged as possibly doubled. */
  readonly unlogged: readonly string[];
  /** Messages that show an outdated state and are the lowest in the chat that show the episode. */
  readonly stale: readonly string[];
  /** Messages that showed the latest state until an older text arrived late. */
  readonly overtaken: readonly string[];
  /** Revisions that a receiver wants and that never came, nor a later one. */
  readonly lost: readonly string[];
  /** Posts that show nothing new, an older revision after a newer one, an unwanted alert, or another text under a known key. */
  readonly wrong: readonly string[];
  /** Storms that began anew, or whose count did not go up by one. */
  readonly forgotten: readonly string[];
}

/**
 * Judges all lives of one notifier together.
 * @param counted the final count of each storm
 * @param noted titles of the deliveries that are logged as possibly doubled, by receiver
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
 * Returns the questions that break the order of a storm's count: each question must have the next number. The same number
 * may come again after a kill, or, in the same life, from another process if the first one asks no more in that life.
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
