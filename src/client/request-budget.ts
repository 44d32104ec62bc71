import type { MarketClock } from '../runtime/clock.ts';
import { ApiError } from '../runtime/errors.ts';
import { metaInterval } from './meta.ts';

/** Where requests are recorded, across restarts and processes. `key` is a hash; times are those of the budget's clock, ms. */
export interface RequestLog {
  /** Whether other processes write to the log too. It is then read again for each request. */
  readonly shared: boolean;
  /** Returns the times of the requests recorded under the key, none before `since`. */
  load(key: string, since: number): Promise<number[]>;
  /**
   * Deletes the recorded requests later than `until`, then records a request, unless `most` requests of any process are
   * recorded after `since`. Returns false in that case: the request must not be made.
   */
  take(key: string, request: { readonly at: number } & RequestCount): Promise<boolean>;
  /** Deletes one request recorded at that time, because it was never made. */
  giveBack(key: string, at: number): Promise<void>;
}

interface RequestCount {
  readonly since: number;
  readonly until: number;
  readonly most: number;
}

/** A log that records nothing, where no request of another process or of an earlier start can count. */
export const noRequestLog: RequestLog = {
  shared: false,
  load: async () => [],
  take: async () => true,
  giveBack: async () => {},
};

export interface RequestBudgetOptions {
  /** The most requests in any `window` ms. */
  readonly limit: number;
  readonly window: number;
  /** The clock by which the limit counts: wall time for a hosted service, however fast its market. Absent: market time. */
  readonly clock?: MarketClock;
  /** The part of `limit` that is reserved for people; detectors have the rest. */
  readonly reserve: number;
  readonly log: RequestLog;
}

/** Who asks a question, as far as people and chats are told apart. */
export interface Asker {
  /** The guild, the group or the private chat. */
  readonly chat: string;
  readonly person?: string | undefined;
}

/** For whom a request is made: a detector (`poll`) or a person who asks. */
export type Payer = 'poll' | Asker;

export interface RequestBudgetState {
  readonly used: number;
  readonly limit: number;
  readonly reserved: number;
  readonly window: number;
}

interface Paid {
  /**
   * Removes the request from the budget because it was never sent. If the removal cannot be recorded, the request still
   * counts, so that the limit is never exceeded. Never rejects.
   */
  giveBack(): Promise<void>;
}

export interface RequestBudget {
  /**
   * Records one request, and only then resolves. The request counts for the first payer whose budget allows it, polls
   * before people. Rejects with an ApiError if no payer's budget allows it: `rate_limited`, or `share_spent` if other
   * people could still ask.
   * @param payers read at the moment of recording, because more callers may have begun to wait for the request
   */
  take(endpoint: string, payers: () => readonly Payer[]): Promise<Paid>;
  state(): RequestBudgetState;
}

/**
 * Creates two separate budgets: polls have the limit minus the reserve, people have the reserve. Questions of people thus
 * never take requests from detectors.
 */
export function createRequestBudget(
  key: string,
  options: { readonly market: () => MarketClock } & RequestBudgetOptions,
): RequestBudget {
  const { limit, window, reserve, log } = options;
  const clock = () => options.clock ?? options.market();
  const polls = createLedger(key, { window, log, clock });
  const questions = createLedger(`${key} questions`, { window, log, clock });
  let loading: Promise<unknown> | undefined;

  const load = async (endpoint: string) => {
    const since = clock().now() - window;
    if (log.shared) loading = undefined;
    try {
      loading ??= Promise.all([polls.load(since), questions.load(since)]);
      await loading;
    } catch (cause) {
      loading = undefined;
      throw unrecordedError(endpoint, cause);
    }
  };

  const refusalOf = (payer: Payer, now: number): Refusal | undefined => {
    if (payer !== 'poll') return shareRefusal(questions.requestsInWindow(now), { ...payer, reserve, now });
    const allowed = limit - reserve;
    const taken = polls.requestsInWindow(now);
    return taken.length < allowed
      ? undefined
      : { reason: 'rate_limited', blockingRequestAt: taken[taken.length - allowed]?.at ?? now };
  };

  return {
    async take(endpoint, payers) {
      for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
        await load(endpoint);
        const { now: time, wallUntil } = clock();
        const now = time();
        const sortedPayers = payers().toSorted((a, b) => Number(b === 'poll') - Number(a === 'poll'));
        const refusals = sortedPayers.map((payer) => refusalOf(payer, now));
        const payer = sortedPayers[refusals.indexOf(undefined)];
        if (payer === undefined) throw refusalError(endpoint, refusals, (freed) => wallUntil(freed + window));
        const recording =
          payer === 'poll'
            ? polls.add({ at: now }, limit - reserve)
            : // The share was computed from the known requests. If another process has added one, it is computed again.
              questions.add({ at: now, asker: payer }, questions.requestsInWindow(now).length + 1);
        const paid = await recording.catch((cause: unknown) => {
          throw unrecordedError(endpoint, cause);
        });
        if (paid !== undefined) return paid;
        // The log has further requests: of another process, or back in the window because the clock has stepped back.
        loading = undefined;
      }
      throw unrecordedError(endpoint, new Error('other processes were first each time'));
    },
    state() {
      const now = clock().now();
      const used = polls.requestsInWindow(now).length + questions.requestsInWindow(now).length;
      return { used, limit, reserved: reserve, window };
    },
  };
}

interface Request {
  readonly at: number;
  /** Absent for polls, and for requests read from the log (made before a restart or by another process). */
  readonly asker?: Asker;
}

/** How often the budget is checked for one request when other processes keep recording theirs first. */
const maxAttempts = 20;

/** Keeps the requests of one budget within its window, ordered by time. */
function createLedger(
  key: string,
  {
    window,
    log,
    clock,
  }: Pick<RequestBudgetOptions, 'window' | 'log'> & { readonly clock: () => MarketClock },
) {
  let own: Request[] = [];
  let others: Request[] = [];
  /**
   * Returns the range of request times that count. Requests with a later time are left out: they were made before the
   * clock stepped back, or for another market, and would count once their time comes again. With a shared log, `until` lies
   * ahead by the interval between two requests for /meta, because another process may not have heard of the new time yet.
   */
  const windowAt = (now: number) => {
    const { speed } = clock();
    return { since: now - window, until: now + (log.shared ? metaInterval(speed) * speed : 0) };
  };
  const countedAt = (now: number) => {
    const { since, until } = windowAt(now);
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
    requestsInWindow: (now: number): readonly Request[] =>
      [...own, ...others].filter(countedAt(now)).sort((a, b) => a.at - b.at),
    /**
     * Adds a request and records it in the log. The request counts from the call on, before the promise resolves, so that
     * two concurrent calls cannot both use the last free place. Resolves to undefined if the log has `maxRequests` requests already.
     */
    async add(request: Request, maxRequests: number): Promise<Paid | undefined> {
      const isCounted = countedAt(request.at);
      own = [...own.filter(isCounted), request];
      others = others.filter(isCounted);
      const isRecorded = await log.take(key, { ...windowAt(request.at), at: request.at, most: maxRequests });
      const removeOwn = () => {
        own = own.filter((each) => each !== request);
      };
      if (isRecorded)
        return {
          async giveBack() {
            await log.giveBack(key, request.at).then(removeOwn, () => {});
          },
        };
      removeOwn();
      return undefined;
    },
  };
}

interface Refusal {
  readonly reason: 'rate_limited' | 'share_spent';
  /** The time of the recorded request that must leave the window before the payer may ask. */
  readonly blockingRequestAt: number;
}

/**
 * A person may use at most as many requests of the reserve as are still free, and a chat at most `chatShare` times that.
 * One person alone can use half of the reserve, two a third each. However many people ask, some requests stay free for
 * the next person.
 */
const chatShare = 2;

function shareRefusal(
  taken: readonly Request[],
  { chat, person, reserve, now }: { readonly reserve: number; readonly now: number } & Asker,
): Refusal | undefined {
  const isOwn = ({ asker }: Request) => person !== undefined && asker?.person === person;
  const isOfChat = ({ asker }: Request) => asker?.chat === chat;
  let free = reserve - taken.length;
  let ownCount = taken.filter(isOwn).length;
  let chatCount = taken.filter(isOfChat).length;
  const mayAsk = () => ownCount < free && chatCount < chatShare * free;
  if (mayAsk()) return undefined;
  const reason = free > 0 ? 'share_spent' : 'rate_limited';
  for (const oldest of taken) {
    free += 1;
    ownCount -= Number(isOwn(oldest));
    chatCount -= Number(isOfChat(oldest));
    if (mayAsk()) return { reason, blockingRequestAt: oldest.at };
  }
  return { reason, blockingRequestAt: now };
}

/** Returns the error for a request that no payer may make. The reason and the wait are those of the soonest payer. */
function refusalError(
  endpoint: string,
  refusals: readonly (Refusal | undefined)[],
  waitFor: (freed: number) => number,
): ApiError {
  const [soonest] = refusals
    .flatMap((refusal) => refusal ?? [])
    .sort((a, b) => a.blockingRequestAt - b.blockingRequestAt);
  const { reason, blockingRequestAt } = soonest ?? { reason: 'rate_limited', blockingRequestAt: 0 };
  return new ApiError(
    endpoint,
    reason,
    reason === 'share_spent'
      ? 'whoever asks has used their share of the requests kept for people; others are answered'
      : 'the budget of requests is used up; it is asked again as requests expire',
    { retryAfter: Math.max(0, waitFor(blockingRequestAt)) },
  );
}

/** Returns the error for a request that could not be recorded. It is not sent: unrecorded, it would exceed the limit later. */
const unrecordedError = (endpoint: string, cause: unknown) =>
  new ApiError(
    endpoint,
    'unreachable',
    'not asked, because the request could not be recorded; check the database',
    { cause },
  );
