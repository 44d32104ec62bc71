import { clockTolerance } from '../../../runtime/true-time.ts';
import { day, hour, minute, second } from '../../../runtime/units.ts';
import type { Archive, Liquidation, TimeRange } from '../../archive/archive.ts';
import { marketAt } from '../../archive/identity.ts';
import type { OpenVenue } from '../../venues/others.ts';
import type { ContractSizes } from '../../venues/venue.ts';
import { messageOf } from '../catch-up.ts';
import { repeatUntilDone } from '../rounds.ts';
import { type CollectorContext, defineCollector, hear } from './collector.ts';

/** Archive key of the market time up to which every liquidation that can be asked for is stored. */
const cursorKey = 'liquidations.covered';
/** Archive key of the market time since which the stream has not been interrupted. */
const completeKey = 'liquidations.complete';
const maxPast = 3 * day;
/** How often past liquidations are asked for where they can be, wall ms. */
const askEvery = 250;
/** The most liquidations that wait for a database which does not take them; the oldest are dropped first. */
const maxPending = 100_000;
/** The most messages that wait until it is known how much their contracts are: some megabytes. */
const maxWaiting = 10_000;
/** How long the sizes of contracts that were fetched last are taken for complete, wall ms. */
const sizesLast = minute;
/** Market ms without a liquidation after which a stream of the whole market counts as dead: some symbol always has one sooner. */
const silence = 10 * minute;

/** Returns the market time since which no liquidation has been missed. Undefined if none ever is, as in a simulated market. */
export async function liquidationsCompleteSince(archive: Pick<Archive, 'get'>): Promise<number | undefined> {
  const since = await archive.get(completeKey);
  return typeof since === 'number' ? since : undefined;
}

/**
 * Collects liquidations from the streams of all venues that publish them. Exchanges do not offer past liquidations, so an interruption leaves a permanent
 * gap. A simulated market is asked for them instead.
 */
export default defineCollector({
  name: 'liquidations',
  feedsOn: ({ liquidations }) => liquidations !== undefined,
  async collect(context, { now }) {
    await fillPast(context, { from: await uncovered(context, now), to: now });
    return undefined;
  },
  async listen(context) {
    const others = context.others.filter(({ venue }) => venue.roles.liquidations !== undefined);
    const listening = others.map((openVenue) => {
      const ofVenue = contextAt(openVenue, context);
      return repeatUntilDone(() => listenTo(ofVenue), { ...context, onProblem: () => {} });
    });
    await Promise.all([listenTo(context), ...listening]);
  },
});

const listenTo = (context: CollectorContext): Promise<void> =>
  context.exchanges.markets.pastLiquidations === undefined ? listenToStream(context) : keepAsking(context);

/**
 * Returns the context in which the liquidations of a venue other than the primary one are collected: they and what is known of
 * their stream are stored under the venue's name. The feed's state is the primary venue's.
 */
function contextAt({ venue, client, streams }: OpenVenue, context: CollectorContext): CollectorContext {
  const { archive, exchanges, writeLiquidations } = context;
  const keyAt = (key: string) => `${key}.${venue.name}`;
  return {
    ...context,
    exchanges: { ...exchanges, venue, markets: client, streams },
    archive: {
      ...archive,
      get: (key) => archive.get(keyAt(key)),
      put: (key, value) => archive.put(keyAt(key), value),
    },
    writeLiquidations: (rows) =>
      writeLiquidations(rows.map((row) => ({ ...row, symbol: marketAt(venue.name, row.symbol) }))),
    report() {},
  };
}

async function listenToStream(context: CollectorContext): Promise<void> {
  const { exchanges, clock, symbols, writeLiquidations, archive, report } = context;
  const { liquidations } = exchanges.venue.roles;
  if (liquidations === undefined || exchanges.streams === undefined) return;
  let pending: Liquidation[] = [];
  let flushing: Promise<void> | undefined;
  // True from an interruption until a message shows that it is over: any message where liquidations may be rare.
  let isInterrupted = true;
  let completeSince = Number.NEGATIVE_INFINITY;
  /** The end of the last interruption, until it has been stored. */
  let interruptionEnd: number | undefined;
  // True from a message that cannot be read until one that can, where a later liquidation may not come for hours.
  let hasProblem = false;
  const reportProblem = (problem: string) => {
    hasProblem = true;
    report({ problem });
  };
  const sizing = keepSizes(context, reportProblem);
  await archive.put(completeKey, null);

  const hasUnstored = () => pending.length > 0 || interruptionEnd !== undefined;
  async function flush() {
    while (hasUnstored()) {
      if (interruptionEnd !== undefined) await storeInterruptionEnd(interruptionEnd);
      if (pending.length > 0) await storePending();
    }
  }

  async function storePending() {
    const rows = pending;
    pending = [];
    const newest = rows.reduce((latest, { time }) => Math.max(latest, time), 0);
    const tracked = new Set(symbols());
    try {
      await writeLiquidations(rows.filter(({ symbol }) => tracked.has(symbol)));
    } catch (error) {
      // The exchange never sends them again: they wait for the next message. Rows that are stored twice are one.
      pending = [...rows, ...pending].slice(-maxPending);
      throw error;
    }
    report({ at: newest });
  }

  async function storeInterruptionEnd(end: number) {
    await archive.put(completeKey, end);
    if (interruptionEnd === end) interruptionEnd = undefined;
    if (!liquidations?.wholeMarket) report({ at: end });
  }

  await hear(liquidations, context, {
    silence: liquidations.wholeMarket ? Math.max(3 * second, silence / clock.speed) : undefined,
    onMessage(text) {
      let received: number | undefined;
      const wasProblem = hasProblem;
      hasProblem = false;
      try {
        received = sizing.read(text, (rows) => void pending.push(...rows));
        // Since when is not known if a clock said it that was set back since.
        isInterrupted ||= completeSince > clock.now() + clockTolerance;
        if (isInterrupted && (received > 0 || !liquidations.wholeMarket)) {
          isInterrupted = false;
          completeSince = clock.now();
          interruptionEnd = completeSince;
        } else if (wasProblem && !hasProblem && !liquidations.wholeMarket) report({ at: clock.now() });
      } catch (error) {
        reportProblem(`a message of the stream is not as promised: ${String(error)}`);
      }
      // Only then: a flush that ends at once would still count as under way when the next message follows in the same packet.
      if (hasUnstored())
        flushing ??= flush()
          .catch((error: unknown) => report({ problem: String(error) }))
          .finally(() => {
            flushing = undefined;
          });
      // Neither an acknowledgement nor a pong proves that the subscribed events arrive.
      return received !== 0;
    },
    onProblem(problem) {
      isInterrupted = true;
      report({ problem });
      sizing.interrupted();
    },
  });
  await flushing;
}

/** Asks for the liquidations since the last answer, again and again until the signal aborts. */
async function keepAsking(context: CollectorContext): Promise<void> {
  const { clock, wall, signal, report } = context;
  let from = await uncovered(context, clock.now());
  let hasProblem = false;
  while (!signal.aborted) {
    const to = Math.floor(clock.now());
    try {
      const stored = await fillPast(context, { from, to });
      if (stored > 0 || hasProblem) report({ at: to });
      hasProblem = false;
      from = to + 1;
    } catch (error) {
      if (!hasProblem && !signal.aborted) report({ problem: messageOf(error) });
      hasProblem = true;
    }
    await wall.sleep(askEvery, signal).catch(() => {});
  }
}

/** Returns the market time from which on liquidations are not known to be stored. */
async function uncovered({ archive }: CollectorContext, now: number): Promise<number> {
  const covered = await archive.get(cursorKey);
  return Math.max(typeof covered === 'number' ? covered : 0, Math.floor(now) - maxPast);
}

/** Stores the liquidations of a span, hour by hour, if the venue can be asked for them. Returns how many there were. */
async function fillPast(
  { exchanges: { markets }, archive, writeLiquidations, symbols }: CollectorContext,
  { from, to }: TimeRange,
): Promise<number> {
  const tracked = new Set(symbols());
  let stored = 0;
  for (let begin = from; begin <= to && markets.pastLiquidations !== undefined; begin += hour) {
    const page = { from: begin, to: Math.min(to, begin + hour - 1) };
    const rows = (await markets.pastLiquidations(page)).filter(({ symbol }) => tracked.has(symbol));
    if (rows.length === 0) continue;
    await writeLiquidations(rows);
    await archive.put(cursorKey, page.to);
    stored += rows.length;
  }
  return stored;
}

/**
 * Reads messages whose amounts may be in contracts. How much these are is fetched once a connection says something, because
 * it may have been changed while nobody heard, and then changed by what the stream says. Until it is known, and again where a
 * contract is not, the messages wait.
 */
function keepSizes(
  { exchanges, wall, random, signal }: CollectorContext,
  reportProblem: (problem: string) => void,
) {
  const { markets, venue } = exchanges;
  const { liquidations, contractSizes } = venue.roles;
  const sizes: ContractSizes = new Map();
  const waiting: string[] = [];
  let fetching: Promise<unknown> | undefined;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  /** How many interruptions there have been, and after how many the sizes were asked for. */
  let [interruptions, fetchedAfter] = [0, -1];
  const fetchSizes = () => {
    const after = interruptions;
    fetching ??= repeatUntilDone(
      async () => {
        const fetched = (await markets.contractSizes?.()) ?? [];
        sizes.clear();
        for (const [name, coins] of fetched) sizes.set(name, coins);
        [fetchedAt, fetchedAfter] = [wall.now(), after];
      },
      { wall, random, signal, onProblem: reportProblem },
    ).finally(() => {
      fetching = undefined;
    });
  };
  const readOne = (text: string): readonly Liquidation[] => {
    let unsized: string | undefined;
    const rows =
      liquidations?.read(text, {
        sizes,
        onDropped: (example) => reportProblem(`a row of the stream is not as promised: ${example}`),
        onUnsized: (contract) => {
          unsized = contract;
        },
      }) ?? [];
    if (unsized === undefined) return rows;
    if (wall.now() - fetchedAt >= sizesLast) {
      waiting.unshift(text);
      fetchSizes();
    } else reportProblem(`it does not say how much a contract of ${unsized} is`);
    return rows;
  };
  return {
    /** Passes on the liquidations in the messages that need not wait, this one and earlier ones. Returns how many there were. */
    read(text: string, take: (rows: readonly Liquidation[]) => void): number {
      waiting.push(text);
      if (waiting.length > maxWaiting) waiting.shift();
      if (contractSizes !== undefined && fetchedAfter !== interruptions) fetchSizes();
      let count = 0;
      while (fetching === undefined) {
        const next = waiting.shift();
        if (next === undefined) break;
        const rows = readOne(next);
        take(rows);
        count += rows.length;
      }
      return count;
    },
    interrupted() {
      interruptions += 1;
    },
  };
}
