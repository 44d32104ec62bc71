import type { DataClient } from '../contract/data-client.ts';
import { ApiError } from '../runtime/errors.ts';
import type { FeedName, Reading } from './feed.ts';
import { feeds } from './feeds.ts';

/** Market ms at which each question was last asked: `overview`, `basis BTCUSDT`. */
export type AskedAt = Readonly<Record<string, number>>;

export interface Gathered {
  readonly readings: readonly Reading[];
  readonly asked: AskedAt;
}

interface Job {
  readonly name: FeedName;
  readonly key: string;
  readonly symbols: readonly string[];
}

interface Asking {
  readonly data: DataClient;
  readonly asked: AskedAt;
  readonly requests: number;
  readonly now: number;
  readonly signal: AbortSignal;
}

/**
 * Asks the questions whose answers rules need and may be newer by now: first those about all symbols, then at most
 * `requests` of those about single symbols, symbol by symbol, the longest unasked first.
 * @throws ApiError where something was asked and no answer came, not even that the data does not exist
 */
export async function gather(
  needs: ReadonlyMap<FeedName, ReadonlySet<string>>,
  { data, asked, requests, now, signal }: Asking,
): Promise<Gathered> {
  const isDue = (key: string, every: number): boolean => {
    const last = asked[key];
    return last === undefined || last > now || now - last >= every;
  };
  const jobs = [...needs].flatMap(([name, symbols]): Job[] =>
    feeds[name].askedPer === 'market'
      ? [{ name, key: name as string, symbols: [...symbols] }]
      : [...symbols].map((symbol) => ({ name, key: `${name} ${symbol}`, symbols: [symbol] })),
  );
  const dueJobs = jobs.filter(({ name, key }) => isDue(key, feeds[name].interval));
  const symbolJobs = bySymbol(
    dueJobs.filter(({ name }) => feeds[name].askedPer === 'symbol'),
    asked,
  ).slice(0, requests);

  const readings: Reading[] = [];
  const answered = new Set<string>();
  const refused = new Set<string>();
  let failure: ApiError | undefined;
  for (const { name, key, symbols } of [
    ...dueJobs.filter(({ name }) => feeds[name].askedPer === 'market'),
    ...symbolJobs,
  ]) {
    try {
      readings.push(...(await feeds[name].read({ data, symbols, now, signal })));
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
  const next = jobs.flatMap(({ key }): [string, number][] => {
    const at = answered.has(key) || refused.has(key) ? now : asked[key];
    return at === undefined ? [] : [[key, at]];
  });
  return { readings, asked: Object.fromEntries(next) };
}

/**
 * Returns these jobs with those of one symbol together, because a condition that joins two figures of a symbol can be judged
 * only while both are valid. The symbol with the job that was longest unasked comes first.
 */
function bySymbol(jobs: readonly Job[], asked: AskedAt): Job[] {
  const askedAt = ({ key }: Job) => asked[key] ?? 0;
  const groups = [...Map.groupBy(jobs, ({ symbols }) => symbols[0] ?? '')].map(([symbol, own]) => {
    const oldestFirst = own.toSorted((a, b) => askedAt(a) - askedAt(b) || (a.key < b.key ? -1 : 1));
    return { symbol, own: oldestFirst, at: Math.min(...own.map(askedAt)) };
  });
  return groups.sort((a, b) => a.at - b.at || (a.symbol < b.symbol ? -1 : 1)).flatMap(({ own }) => own);
}
