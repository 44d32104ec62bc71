import { slotOf } from '../client/cache.ts';
import { ApiError } from '../runtime/errors.ts';
import { feeds } from './all-feeds.ts';
import type { Question, Reading } from './feed.ts';
import type { FeedName } from './feed-names.ts';

/** Market ms at which each question was last asked: `overview`, `basis BTCUSDT`. */
export type AskedAt = Readonly<Record<string, number>>;

/** The feeds that rules need, each with the symbols that it is needed for. */
export type Needs = ReadonlyMap<FeedName, ReadonlySet<string>>;

interface Gathered {
  readonly readings: readonly Reading[];
  readonly asked: AskedAt;
}

interface Job {
  readonly name: FeedName;
  readonly key: string;
  readonly symbols: readonly string[];
}

export interface Asking extends Pick<Question, 'data' | 'metrics' | 'now' | 'signal'> {
  readonly asked: AskedAt;
  /** The most questions about single symbols. */
  readonly requests: number;
}

/**
 * Asks the questions whose answers rules need and may be newer by now: first those about all symbols, then at most
 * `requests` of those about single symbols, symbol by symbol, the longest unasked first.
 * @throws ApiError where something was asked and no answer came, not even that the data does not exist
 */
export async function gather(
  needs: Needs,
  { data, asked, requests, metrics, now, signal }: Asking,
): Promise<Gathered> {
  const isDue = ({ name, key }: Job): boolean => {
    const last = asked[key];
    const { interval, aligned = false } = feeds[name];
    if (last === undefined || last > now) return true;
    return aligned ? slotOf(last, interval) !== slotOf(now, interval) : now - last >= interval;
  };
  const jobs = knownJobs.getOrInsertComputed(needs, findJobs);
  const symbolJobs = oldestFirst(jobs.bySymbol, { asked, isDue, most: requests });

  const readings: Reading[] = [];
  const answered = new Set<string>();
  const refused = new Set<string>();
  let failure: ApiError | undefined;
  for (const { name, key, symbols } of [...jobs.ofMarket.filter(isDue), ...symbolJobs]) {
    try {
      readings.push(...(await feeds[name].read({ data, symbols, metrics, now, signal })));
      answered.add(key);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failure = error;
      if (error.reason === 'rate_limited') break;
      // A symbol without such data must not hold up the others.
      if (error.reason === 'invalid_request' || error.reason === 'not_offered') refused.add(key);
    }
  }
  if (failure !== undefined && answered.size + refused.size === 0) throw failure;
  const next: Record<string, number> = {};
  for (const { key } of jobs.all) {
    const at = answered.has(key) || refused.has(key) ? now : asked[key];
    if (at !== undefined) next[key] = at;
  }
  return { readings, asked: next };
}

/** What may be asked for the needs of rules, in the order of the needs. */
interface Jobs {
  readonly all: readonly Job[];
  readonly ofMarket: readonly Job[];
  readonly bySymbol: readonly (readonly [symbol: string, own: readonly Job[]])[];
}

/** They are kept, because most rounds have the same needs. */
const knownJobs = new WeakMap<Needs, Jobs>();

function findJobs(needs: Needs): Jobs {
  const all = [...needs].flatMap(([name, symbols]): Job[] =>
    feeds[name].isPerSymbol
      ? [...symbols].map((symbol) => ({ name, key: `${name} ${symbol}`, symbols: [symbol] }))
      : [{ name, key: name, symbols: [...symbols] }],
  );
  const ofSymbols = all.filter(({ name }) => feeds[name].isPerSymbol);
  const bySymbol = [...Map.groupBy(ofSymbols, ({ symbols }) => symbols[0] ?? '')];
  return { all, ofMarket: all.filter(({ name }) => !feeds[name].isPerSymbol), bySymbol };
}

/**
 * Returns jobs that are due, at most `most`, with those of one symbol together, because a condition that joins two figures of
 * a symbol can be judged only while both are valid. The symbol with the job that was longest unasked comes first.
 */
function oldestFirst(
  groups: Jobs['bySymbol'],
  { asked, isDue, most }: { asked: AskedAt; isDue: (job: Job) => boolean; most: number },
): readonly Job[] {
  const askedAt = ({ key }: Job) => asked[key] ?? 0;
  const dueGroups = groups.flatMap(([symbol, all]) => {
    const own = all.filter(isDue);
    return own.length === 0 ? [] : [{ symbol, own, at: Math.min(...own.map(askedAt)) }];
  });
  dueGroups.sort((a, b) => a.at - b.at || (a.symbol < b.symbol ? -1 : 1));
  const due: Job[] = [];
  for (const { own } of dueGroups) {
    if (due.length >= most) break;
    due.push(...own.sort((a, b) => askedAt(a) - askedAt(b) || (a.key < b.key ? -1 : 1)));
  }
  return due.slice(0, most);
}
