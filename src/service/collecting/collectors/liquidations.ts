import { day, minute, second } from '../../../runtime/units.ts';
import type { Archive, Liquidation } from '../../archive/archive.ts';
import { keepStream } from '../../exchanges/stream.ts';
import type { ContractSizes } from '../../venues/venue.ts';
import { repeatUntilDone } from '../rounds.ts';
import { type CollectorContext, defineCollector } from './collector.ts';

/** Archive key of the market time up to which every liquidation that can be fetched is stored. */
const cursorKey = 'liquidations.covered';
/** Archive key of the market time since which the stream has not been interrupted. */
const completeKey = 'liquidations.complete';
const maxPast = 3 * day;
const pageRows = 1_000;
/** How far the cursor stays behind the newest event: events arrive late, and several may share a millisecond. */
const overlap = minute;
/** The most liquidations that wait for a database which does not take them; the oldest are dropped first. */
const maxPending = 100_000;
/** The most messages that wait until it is known how much their contracts are. */
const maxUnsized = 1_000;
/** How long the sizes of contracts that were fetched last are taken for complete, wall ms. */
const sizesLast = minute;
/** Market ms without a liquidation after which a stream of the whole market counts as dead: some symbol always has one sooner. */
const silence = 10 * minute;

/** Returns the market time since which no liquidation has been missed. Undefined if none ever is, as on the simulator. */
export async function liquidationsCompleteSince(archive: Pick<Archive, 'get'>): Promise<number | undefined> {
  const since = await archive.get(completeKey);
  return typeof since === 'number' ? since : undefined;
}

/**
 * Collects liquidations from the stream. Exchanges do not offer past liquidations, so an interruption leaves a permanent
 * gap, except on the simulator.
 */
export default defineCollector({
  name: 'liquidations',
  feedsOn: ({ liquidations }) => liquidations !== undefined,
  async collect(context, { now }) {
    await fillFromTape(context, now);
  },

  async listen(context) {
    const { exchanges, clock, wall, random, signal, symbols, writeLiquidations, archive, report } = context;
    const { root, ...connection } = exchanges.streams;
    const { liquidations } = exchanges.venue.roles;
    if (liquidations === undefined) return;
    let pending: Liquidation[] = [];
    let flushing: Promise<void> | undefined;
    // True from an interruption until the liquidations missed in it have been fetched.
    let hasMissed = true;
    // True from an interruption until a message shows that it is over: any message where liquidations may be rare.
    let isInterrupted = true;
    /** The end of the last interruption, until it has been stored. */
    let interruptionEnd: number | undefined;
    // True from a message that cannot be read until one that can, where a later liquidation may not come for hours.
    let hasProblem = false;
    const reportProblem = (problem: string) => {
      hasProblem = true;
      report({ problem });
    };
    const sizing = keepSizes(context, reportProblem);
    if (exchanges.tape === undefined) await archive.put(completeKey, null);

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
        hasMissed = true;
        throw error;
      }
      report({ at: newest });
      if (hasMissed) {
        // Before the tape is read: an interruption meanwhile begins a gap of its own.
        hasMissed = false;
        await fillFromTape(context, newest).catch((error: unknown) => {
          hasMissed = true;
          throw error;
        });
      } else await archive.put(cursorKey, newest - overlap);
    }

    async function storeInterruptionEnd(end: number) {
      if (exchanges.tape === undefined) await archive.put(completeKey, end);
      if (interruptionEnd === end) interruptionEnd = undefined;
      if (!liquidations?.wholeMarket) report({ at: end });
    }

    await keepStream({
      ...connection,
      url: liquidations.url(root),
      subscriptions: () => liquidations.subscribe?.(symbols()) ?? [],
      ping: liquidations.ping,
      silence: liquidations.wholeMarket ? Math.max(3 * second, silence / clock.speed) : undefined,
      wall,
      random,
      signal,
      onMessage(text) {
        let received: readonly Liquidation[] | undefined;
        const wasProblem = hasProblem;
        hasProblem = false;
        try {
          received = sizing.read(text);
          pending.push(...received);
          if (isInterrupted && (received.length > 0 || !liquidations.wholeMarket)) {
            isInterrupted = false;
            interruptionEnd = clock.now();
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
        return received?.length !== 0;
      },
      onProblem(problem) {
        hasMissed = true;
        isInterrupted = true;
        report({ problem });
        // What was changed meanwhile has not been heard.
        sizing.renew();
      },
    });
    await flushing;
  },
});

/**
 * Reads messages whose amounts may be in contracts. How much these are is fetched, and then changed by what the stream says.
 * Messages with a contract that is not known wait until the sizes have been fetched again.
 */
function keepSizes(
  { exchanges, wall, random, signal }: CollectorContext,
  reportProblem: (problem: string) => void,
) {
  const { markets, venue } = exchanges;
  const { liquidations, contractSizes } = venue.roles;
  const sizes: ContractSizes = new Map();
  let waiting: string[] = [];
  let fetching: Promise<unknown> | undefined;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  const fetchSizes = () => {
    fetching ??= repeatUntilDone(
      async () => {
        for (const [name, coins] of (await markets.contractSizes?.()) ?? []) sizes.set(name, coins);
        fetchedAt = wall.now();
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
      waiting = [...waiting, text].slice(-maxUnsized);
      fetchSizes();
    } else reportProblem(`it does not say how much a contract of ${unsized} is`);
    return rows;
  };
  if (contractSizes !== undefined) fetchSizes();
  return {
    /** Returns the liquidations in a message, and in those that waited for sizes that are known now. */
    read(text: string): readonly Liquidation[] {
      const ready = fetching === undefined ? waiting : [];
      if (fetching === undefined) waiting = [];
      return [...ready.flatMap(readOne), ...readOne(text)];
    },
    renew() {
      fetchedAt = Number.NEGATIVE_INFINITY;
      if (contractSizes !== undefined) fetchSizes();
    },
  };
}

/**
 * Stores every liquidation between the cursor and `to` from the simulator's tape, if there is one, page by page. The cursor
 * is moved after each page.
 */
async function fillFromTape(
  { exchanges: { tape }, archive, writeLiquidations, symbols }: CollectorContext,
  to: number,
) {
  if (tape === undefined) return;
  const covered = await archive.get(cursorKey);
  let from = Math.max(typeof covered === 'number' ? covered : 0, to - maxPast);
  const tracked = new Set(symbols());
  for (;;) {
    const rows = await tape.liquidations({ from, to }, pageRows);
    await writeLiquidations(rows.filter(({ symbol }) => tracked.has(symbol)));
    const last = rows.at(-1);
    const finished = rows.length < pageRows || last === undefined;
    await archive.put(cursorKey, finished ? to - overlap : last.time);
    if (finished) return;
    // A page of the tape includes every event of its last millisecond.
    from = last.time + 1;
  }
}
