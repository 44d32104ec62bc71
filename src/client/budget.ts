import type { MarketClock } from '../runtime/clock.ts';
import { ApiError } from '../runtime/errors.ts';
import { metaEvery } from './meta.ts';

/** Where requests are remembered, across restarts and processes. `key` is a hash, `at` and `since` are market ms. */
export interface BudgetLog {
  /** Whether others may write it too, so that it is read anew for each request. */
  readonly shared: boolean;
  /** Times of the requests recorded under the key, none before `since`. */
  load(key: string, since: number): Promise<number[]>;
  /**
   * Forgets what lies after `until`, then records a request unless `most` are there after `since`, whoever made them. False: it
   * is not to be made.
   */
  take(key: string, request: { readonly at: number } & RequestCount): Promise<boolean>;
  /** One request of that time was never made. */
  giveBack(key: string, at: number): Promise<void>;
}

export interface RequestCount {
  readonly since: number;
  readonly until: number;
  readonly most: number;
}

/** For who asks once: nothing is remembered. */
export const forgetful: BudgetLog = {
  shared: false,
  load: async () => [],
  take: async () => true,
  giveBack: async () => {},
};

export interface BudgetOptions {
  /** Requests in any `window` market ms. */
  readonly limit: number;
  readonly window: number;
  /** The part of `limit` that is people's; detectors have the rest. */
  readonly reserve: number;
  readonly log: BudgetLog;
}

/** Who asks a question, as far as they are told apart. */
export interface Asker {
  /** The guild, the group or the private chat. */
  readonly chat: string;
  readonly person?: string | undefined;
}

/** For whom a request is made: a detector, or somebody who asks. */
export type Payer = 'poll' | Asker;

export interface BudgetState {
  readonly used: number;
  readonly limit: number;
  readonly reserved: number;
  readonly window: number;
}

/** A request that was recorded. */
export interface Paid {
  /** It never left. Where that cannot be recorded, it counts: the service is rather spared. Never rejects. */
  giveBack(): Promise<void>;
}

export interface Budget {
  /**
   * Records one request, and only then resolves. The first who still may pays for it, polls before people. Rejects
   * with an ApiError where nobody may: `rate_limited`, or `share_spent` where others still might.
   * @param payers read when it is to be paid: those who wait for one request may become more meanwhile
   */
  take(endpoint: string, payers: () => readonly Payer[]): Promise<Paid>;
  state(): BudgetState;
}

/**
 * Two budgets side by side, neither of which takes from the other: polls have the limit without the reserve, people
 * the reserve. So nobody's questions can blind a detector.
 */
export function createBudget(
  key: string,
  { limit, window, reserve, log, market }: { readonly market: () => MarketClock } & BudgetOptions,
): Budget {
  const polls = createLedger(key, { window, log, market });
  const questions = createLedger(`${key} questions`, { window, log, market });
  let loading: Promise<unknown> | undefined;

  const load = async (endpoint: string) => {
    const since = market().now() - window;
    if (log.shared) loading = undefined;
    try {
      loading ??= Promise.all([polls.load(since), questions.load(since)]);
      await loading;
    } catch (cause) {
      loading = undefined;
      throw unrecorded(endpoint, cause);
    }
  };

  const refusalOf = (payer: Payer, now: number): Refusal | undefined => {
    if (payer !== 'poll') return shareRefusal(questions.within(now), { ...payer, reserve, now });
    const allowed = limit - reserve;
    const taken = polls.within(now);
    return taken.length < allowed
      ? undefined
      : { reason: 'rate_limited', until: taken[taken.length - allowed]?.at ?? now };
  };

  return {
    async take(endpoint, payers) {
      for (let attempt = 1; attempt <= attempts; attempt += 1) {
        await load(endpoint);
        const clock = market();
        const now = clock.now();
        const asked = payers().toSorted((a, b) => Number(b === 'poll') - Number(a === 'poll'));
        const refusals = asked.map((payer) => refusalOf(payer, now));
        const payer = asked[refusals.indexOf(undefined)];
        if (payer === undefined)
          throw refused(endpoint, { refusals, waitFor: (freed) => clock.wallUntil(freed + window) });
        const taken =
          payer === 'poll'
            ? polls.add({ at: now }, limit - reserve)
            : // Whose share it is was judged by those that were there: one more by others, and it is judged anew.
              questions.add({ at: now, asker: payer }, questions.within(now).length + 1);
        const paid = await taken.catch((cause: unknown) => {
          throw unrecorded(endpoint, cause);
        });
        if (paid !== undefined) return paid;
        // The log knows of more: another process's, or what a clock that has stepped back has brought into the window again.
        loading = undefined;
      }
      throw unrecorded(endpoint, new Error('other processes were first each time'));
    },
    state() {
      const now = market().now();
      const used = polls.within(now).length + questions.within(now).length;
      return { used, limit, reserved: reserve, window };
    },
  };
}

interface Request {
  /** Market ms. */
  readonly at: number;
  /** Absent where it was a poll, or one of before a restart. */
  readonly asker?: Asker;
}

/** Times that one request is judged anew, where others are first. */
const attempts = 20;

/** The requests of one window, in the order of time. */
function createLedger(
  key: string,
  { window, log, market }: Pick<BudgetOptions, 'window' | 'log'> & { readonly market: () => MarketClock },
) {
  let own: Request[] = [];
  let others: Request[] = [];
  /**
   * Without those that are ahead: the clock has stepped back since, or it was another market's, and they would count when
   * their time comes again. Another process may be ahead by what it has yet to hear of the clock.
   */
  const span = (now: number) => {
    const { speed } = market();
    return { since: now - window, until: now + (log.shared ? metaEvery(speed) * speed : 0) };
  };
  const counts = (now: number) => {
    const { since, until } = span(now);
    return ({ at }: Request): boolean => at > since && at <= until;
  };
  return {
    async load(since: number): Promise<void> {
      const times = await log.load(key, since);
      for (const { at } of own) {
        const index = times.indexOf(at);
        if (index >= 0) times.splice(index, 1);
      }
      others = times.map((at) => ({ at }));
    },
    within: (now: number): readonly Request[] =>
      [...own, ...others].filter(counts(now)).sort((a, b) => a.at - b.at),
    /** Counted before it resolves, so that two at once cannot take the same place. Undefined: others had taken it. */
    async add(request: Request, most: number): Promise<Paid | undefined> {
      const stands = counts(request.at);
      own = [...own.filter(stands), request];
      others = others.filter(stands);
      const kept = await log.take(key, { ...span(request.at), at: request.at, most });
      const leaveOut = () => {
        own = own.filter((each) => each !== request);
      };
      if (kept)
        return {
          async giveBack() {
            await log.giveBack(key, request.at).then(leaveOut, () => {});
          },
        };
      leaveOut();
      return undefined;
    },
  };
}

interface Refusal {
  readonly reason: 'rate_limited' | 'share_spent';
  /** When the request was made whose place must become free first, market ms. */
  readonly until: number;
}

/**
 * Nobody has more of the reserve than is still free for others, and no chat more than twice that: one alone has half of
 * it, two a third each, and however many ask as much as they may, there is something left for the next.
 */
const chatShare = 2;

function shareRefusal(
  taken: readonly Request[],
  { chat, person, reserve, now }: { readonly reserve: number; readonly now: number } & Asker,
): Refusal | undefined {
  const isOwn = ({ asker }: Request) => person !== undefined && asker?.person === person;
  const isOfChat = ({ asker }: Request) => asker?.chat === chat;
  let free = reserve - taken.length;
  let own = taken.filter(isOwn).length;
  let ofChat = taken.filter(isOfChat).length;
  const mayAsk = () => own < free && ofChat < chatShare * free;
  if (mayAsk()) return undefined;
  const reason = free > 0 ? 'share_spent' : 'rate_limited';
  for (const oldest of taken) {
    free += 1;
    own -= Number(isOwn(oldest));
    ofChat -= Number(isOfChat(oldest));
    if (mayAsk()) return { reason, until: oldest.at };
  }
  return { reason, until: now };
}

/** Of those who may not, whose turn comes first. */
function refused(
  endpoint: string,
  {
    refusals,
    waitFor,
  }: { readonly refusals: readonly (Refusal | undefined)[]; readonly waitFor: (freed: number) => number },
): ApiError {
  const [soonest] = refusals.flatMap((refusal) => refusal ?? []).sort((a, b) => a.until - b.until);
  const { reason, until } = soonest ?? { reason: 'rate_limited', until: 0 };
  return new ApiError(
    endpoint,
    reason,
    reason === 'share_spent'
      ? 'whoever asks has used their share of the requests kept for people; others are answered'
      : 'the budget of requests is used up; it is asked again as requests expire',
    { retryAfter: Math.max(0, waitFor(until)) },
  );
}

/** A request that is not remembered would be a limit broken after a restart: it is not sent. */
const unrecorded = (endpoint: string, cause: unknown) =>
  new ApiError(
    endpoint,
    'unreachable',
    'not asked, because the request could not be recorded; check the database',
    {
      cause,
    },
  );
