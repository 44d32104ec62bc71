import type { WallClock } from '../../runtime/clock.ts';
import { ApiError } from '../../runtime/errors.ts';
import { day, hour, minute, second } from '../../runtime/units.ts';
import { isRefusal } from '../exchanges/failure.ts';
import type { OnRowsDropped } from '../exchanges/rows.ts';
import { httpTransport, type Transport } from '../exchanges/transport.ts';
import { changed, type LiveFinding, newLabel, noRows, requestFinding, slow } from './live-remedies.ts';
import type { ContractSizes, Venue, VenueClient } from './venue.ts';

/** What one path or stream gave. Neither well nor with findings: it was not asked, or not to the end. */
export interface LiveRow {
  /** The path, or the name of the stream. */
  readonly what: string;
  /** How many requests were answered, or events came. */
  answers: number;
  /** The slowest answer, or the wait for the first event, ms. Absent: there was none. */
  slowest?: number | undefined;
  /** True for a stream that is alive and may have nothing to send for long. */
  isQuiet?: boolean;
  /** Weight of one request as the venue’s header counts it, if nothing else was asked meanwhile. */
  weight?: number | undefined;
  readonly findings: LiveFinding[];
}

const timeLimit = 15 * second;
const slowAnswer = 5 * second;
/** How many labels and how many characters of each are named. */
const [maxLabels, maxLength] = [5, 40];

/** The present, in the steps of past data, for which markets ask. */
interface Asked {
  readonly symbol: string;
  readonly symbols: readonly string[];
  /** Its perpetuals on gold and indices, of those that it lists. */
  readonly macro: readonly string[];
  readonly now: number;
}

/** The `steps` whole steps before the last whole one, which every venue has published. */
const page = ({ now }: Asked, { step, steps }: { readonly step: number; readonly steps: number }) => {
  const to = Math.floor(now / step) * step - step;
  return { from: to - (steps - 1) * step, to };
};

type Method = Exclude<keyof VenueClient, 'close' | 'serverTime' | 'listings'>;
type Question = (client: VenueClient, asked: Asked) => Promise<unknown> | undefined;

/** How each method is asked, in every way in which it chooses another path. A method without an entry does not compile. */
const questions: { readonly [Name in Method]: readonly Question[] } = {
  candles: [
    (client, asked) =>
      client.candles?.(asked.symbol, {
        interval: '1h',
        page: { ...page(asked, { step: hour, steps: 2 }), urgent: true },
      }),
    (client, asked) =>
      client.candles?.(asked.symbol, { interval: '1d', page: page(asked, { step: day, steps: 2 }) }),
    (client, asked) =>
      Promise.all(
        asked.macro.map((symbol) =>
          client.candles?.(symbol, { interval: '1h', page: page(asked, { step: hour, steps: 2 }) }),
        ),
      ),
  ],
  funding: [
    (client, asked) => client.funding?.(asked.symbol, { from: asked.now - 2 * day, to: asked.now }),
    async (client, asked) => {
      // None is due while the last settlement is processed. That this path has rows is seen by `intervals`.
      await client.funding?.([asked.symbol], { from: asked.now - 2 * day, to: asked.now });
    },
  ],
  intervals: [(client, { symbols }) => client.intervals?.(symbols)],
  marks: [(client, { symbols, now }) => client.marks?.(symbols, now)],
  closes: (['mark', 'index'] as const).map(
    (price): Question =>
      (client, asked) => {
        const { symbol } = asked;
        return client.closes?.(price, { symbol, page: page(asked, { step: 5 * minute, steps: 12 }) });
      },
  ),
  openInterest: [(client, { symbols, now }) => client.openInterest?.(symbols, now)],
  pastOpenInterest: [
    (client, asked) => client.pastOpenInterest?.(asked.symbol, page(asked, { step: 5 * minute, steps: 12 })),
  ],
  ratios: (['top', 'global'] as const).map(
    (of): Question =>
      (client, asked) => {
        const { symbol } = asked;
        return client.ratios?.(of, { symbol, ...page(asked, { step: 15 * minute, steps: 8 }) });
      },
  ),
  book: [(client, { symbols }) => client.book?.(symbols)],
  prices: [(client) => client.prices?.()],
  marginTiers: [(client, { symbol }) => client.marginTiers?.(symbol)],
  // Asked for before the others, because streams need them.
  contractSizes: [],
  pastBook: [(client, asked) => client.pastBook?.(asked.symbol, page(asked, { step: minute, steps: 10 }))],
  pastLiquidations: [(client, asked) => client.pastLiquidations?.(page(asked, { step: minute, steps: 10 }))],
};

/** Collects what the requests to one upstream give. `rows` has a row for each path, in the order given. */
export function watchRequests({
  paths,
  labels = {},
  usedHeader,
  wall,
  signal,
  proxy,
}: {
  readonly paths: readonly string[];
  readonly labels?: Venue['labels'] | undefined;
  readonly usedHeader?: string | undefined;
  readonly wall: WallClock;
  readonly signal: AbortSignal;
  readonly proxy: string | undefined;
}) {
  const rows = new Map(paths.map((what): [string, LiveRow] => [what, { what, answers: 0, findings: [] }]));
  /** @param endpoint the upstream’s name, a space, and the path */
  const rowOf = (endpoint: string): LiveRow => {
    const what = endpoint.slice(endpoint.indexOf(' ') + 1);
    return rows.getOrInsertComputed(what, () => ({ what, answers: 0, findings: [] }));
  };
  const find = ({ findings }: LiveRow, found: LiveFinding) => {
    if (!findings.some(({ problem }) => problem === found.problem)) findings.push(found);
  };

  const network = httpTransport({ timeout: timeLimit, proxy });
  /** The rows of all requests, in the order in which they were sent. */
  const sent: LiveRow[] = [];
  let [underWay, used] = [0, Number.NaN];
  let failedInRow = 0;
  const transport: Transport = {
    close: network.close,
    async get(endpoint, given) {
      const row = rowOf(endpoint);
      const startedAt = wall.now();
      const number = sent.push(row);
      const wasAlone = underWay++ === 0;
      try {
        const reply = await network.get(endpoint, given);
        const took = wall.now() - startedAt;
        row.answers += 1;
        row.slowest = Math.max(row.slowest ?? 0, took);
        failedInRow = 0;
        if (took > slowAnswer) find(row, slow(took));
        const nowUsed = Number(reply.headers[usedHeader ?? '']);
        if (wasAlone && sent.length === number && nowUsed > used) row.weight = nowUsed - used;
        if (nowUsed >= 0) used = nowUsed;
        for (const [field, known] of Object.entries(labels[row.what] ?? {})) {
          const unknown = unknownLabels(reply.text, { field, known });
          if (unknown.length > 0) find(row, newLabel(field, unknown));
        }
        return reply;
      } catch (error) {
        if (!signal.aborted) failedInRow += 1;
        throw error;
      } finally {
        underWay -= 1;
      }
    },
  };
  const onRowsDropped: OnRowsDropped = ({ endpoint, dropped, of, example }) => {
    const { problem, remedy } = changed(example);
    find(rowOf(endpoint), { problem: `${dropped} of ${of} rows are left out: ${problem}`, remedy });
  };

  const onFailure = (failure: ApiError) => {
    const row = rowOf(failure.endpoint);
    // What an earlier refusal keeps from being asked has no finding of its own.
    if (row.answers > 0 || !isRefusal(failure)) find(row, requestFinding(failure));
  };

  /** Asks and returns the answer; undefined if there was none. */
  async function ask<Answer>(question: () => Promise<Answer> | undefined): Promise<Answer | undefined> {
    const before = sent.length;
    try {
      const answer = await question();
      const isEmpty =
        answer instanceof Map ? answer.size === 0 : Array.isArray(answer) && answer.length === 0;
      if (isEmpty) for (const row of sent.slice(before)) find(row, noRows);
      return answer;
    } catch (error) {
      if (error instanceof ApiError || signal.aborted) return undefined;
      // An answer that breaks the client itself differs most of all.
      const row = sent.at(-1);
      if (row === undefined) throw error;
      find(row, changed(`its client cannot read it: ${String(error)}`));
      return undefined;
    }
  }

  return {
    rows,
    transport,
    onRowsDropped,
    onFailure,
    ask,
    /** Whether the upstream gave no answer at all to its last two requests, so that more would only wait in vain. */
    isDead: () => failedInRow >= 2,
  };
}

function unknownLabels(
  text: string,
  { field, known }: { readonly field: string; readonly known: readonly string[] },
): string[] {
  const found = new Set(
    [...text.matchAll(new RegExp(`"${field}"\\s*:\\s*"([^"]*)"`, 'g'))].map(([, label]) => label),
  );
  return [...found]
    .flatMap((label) => (label === undefined || known.includes(label) ? [] : [label.slice(0, maxLength)]))
    .slice(0, maxLabels);
}

/** Asks each method of a venue’s client once in each of its ways, one after another, as the limits allow. */
export async function askEverything(
  client: VenueClient,
  {
    watched,
    macro,
    now,
    signal,
    onMarkets,
  }: {
    readonly watched: ReturnType<typeof watchRequests>;
    readonly macro: Venue['macro'];
    readonly now: number;
    readonly signal: AbortSignal;
    /** Called as soon as is known what to listen to: the largest markets and what their contracts are. */
    readonly onMarkets: (markets: {
      readonly symbols: readonly string[];
      readonly sizes: ContractSizes;
    }) => void;
  },
): Promise<void> {
  await watched.ask(() => client.serverTime());
  const listed = watched.isDead() ? undefined : await watched.ask(() => client.listings());
  const traded = (listed ?? [])
    .filter(({ state }) => state === undefined)
    .sort((a, b) => b.volume - a.volume);
  const symbols = traded.length > 0 ? traded.slice(0, maxMarkets).map((each) => each.symbol) : ['BTCUSDT'];
  const sizes = watched.isDead() ? undefined : await watched.ask(() => client.contractSizes?.());
  onMarkets({ symbols, sizes: sizes ?? new Map() });
  const [symbol = ''] = symbols;
  const names = new Set(traded.map((each) => each.symbol));
  const perpetuals = Object.values(macro ?? {}).filter((name) => names.has(name));
  for (const question of Object.values(questions).flat()) {
    if (signal.aborted || watched.isDead()) return;
    await watched.ask(() => question(client, { symbol, symbols, macro: perpetuals, now }));
  }
}
/** For how many markets the lists of all are read, and streams are subscribed to. */
const maxMarkets = 20;
