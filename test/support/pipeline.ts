import { pino } from 'pino';
import type { Change } from '#src/alert/alert.ts';
import { DeliveryError } from '#src/language/errors.ts';
import { plainReader, say } from '#src/language/say.ts';
import { type PipelineOptions, startPipeline } from '#src/pipeline/pipeline.ts';
import type { Connection, Notification } from '#src/platforms/notifier.ts';
import { createPace } from '#src/runtime/pace.ts';
import { openStore } from '#src/store/open.ts';
import type { Delivery } from '#src/store/ports.ts';
import { addresses } from '#test/support/addresses.ts';
import { receiver, start, subscription } from '#test/support/alerts.ts';
import { type FakeClock, fakeClock } from '#test/support/clock.ts';

/** One message that a receiver saw; as a line: `"send m1 BTCUSDT funding-extreme [firing]"`. */
export interface Sent {
  readonly act: 'send' | 'edit';
  readonly reference: string;
  readonly notification: Notification;
  readonly room: string;
}

/** A platform that records what is sent; `respond` may throw as a platform does. */
export function recorder(respond: (sent: Omit<Sent, 'reference'>) => void | Promise<void> = () => {}) {
  const sent: Sent[] = [];
  const connection: Connection = {
    async send(notification, { address }) {
      const one = { act: 'send' as const, notification, room: String(address.room) };
      await respond(one);
      const reference = `m${sent.length + 1}`;
      sent.push({ ...one, reference });
      return reference;
    },
    async edit(reference, { notification, address }) {
      const one = { act: 'edit' as const, notification, room: String(address.room) };
      await respond(one);
      sent.push({ ...one, reference });
      return reference;
    },
  };
  return { sent, connection };
}

/** A platform that answers 503 to everything while it is away. */
export function switchable() {
  const state = { away: false };
  const platform = recorder(() => {
    if (state.away) throw new DeliveryError({ kind: 'unavailable', accepted: 'no' }, '503');
  });
  return { ...platform, state };
}

export type PipelineFixture = Awaited<ReturnType<typeof pipelineFixture>>;

/** Starts a whole pipeline on an SQLite database in memory, with a platform named `web` and both clocks standing at `start`. */
export async function pipelineFixture(
  given: Partial<PipelineOptions> & {
    connection?: Connection;
    url?: string;
    machine?: boolean;
    clock?: FakeClock;
  } = {},
) {
  const clock = given.clock ?? fakeClock(start);
  const store = await openStore(given.url ?? 'file::memory:', { addresses });
  const platform = recorder();
  let ahead = 0;
  const { connection = platform.connection, machine = false, url: _, clock: __, ...rest } = given;
  let dying = false;
  const settling = new Set<Promise<unknown>>();
  const mortal: typeof store = {
    ...store,
    under(lease) {
      const own = store.under(lease);
      const settle: typeof own.outbox.settle = async (settled) => {
        if (dying && settled.some(({ kind }) => kind !== 'begun')) throw new TypeError('killed');
        const done = own.outbox.settle(settled).finally(() => settling.delete(done));
        settling.add(done);
        return done;
      };
      return { ...own, outbox: { ...own.outbox, settle } };
    },
  };
  const begin = () =>
    startPipeline({
      store: mortal,
      outlets: [
        { name: 'web', connection, readByPrograms: machine, concurrency: 8, pace: createPace({}, clock) },
      ],
      inhibitRules: [],
      expireAfter: 86_400_000,
      pageSize: 500,
      now: () => clock.now() + ahead,
      wall: clock,
      steady: clock,
      ttl: 24 * 60 * 60 * 1_000,
      random: () => 0.5,
      source: () => 'simulated',
      log: pino({ level: 'silent' }),
      count: () => {},
      ...rest,
    });
  let pipeline = await begin();
  let state = 0;
  const waiting: FakeClock = {
    ...clock,
    /** Waits for the disk, too, which takes longer than a few turns of the event loop. */
    async advance(ms) {
      await clock.advance(ms);
      while (settling.size > 0) {
        await Promise.allSettled(settling);
        await clock.advance(0);
      }
    },
  };
  return {
    clock: waiting,
    store,
    get pipeline() {
      return pipeline;
    },
    sent: platform.sent,
    /** Adds a subscription; left out: to everything, of the room `a`. */
    subscribe: (wanted: Parameters<typeof subscription>[0] = {}) =>
      store.subscriptions.add(subscription(wanted)),
    /** What became of the messages to a room, the newest first, as `why` shows it: `suppressed: silenced`. */
    outcomes: async (room: string | number = 'a') =>
      (await store.deliveries.recent(receiver(room), 10)).map(outcomeOf),
    /** Dispatches the changes and runs everything that they cause. */
    async report(changes: readonly Change[], groupWait = 0, name = 'test') {
      await pipeline.dispatch({ name, groupWait }, { state: { n: ++state }, changes });
      await waiting.advance(1);
    },
    /** Simulates a crash before the result of a sent message is stored, and a restart. */
    async kill(doing: () => Promise<void>) {
      dying = true;
      await doing();
      await pipeline.stop();
      dying = false;
      pipeline = await begin();
      await waiting.advance(1);
    },
    /** Moves market time by `ms` and wall time by one second. */
    async skip(ms: number) {
      ahead += ms;
      await waiting.advance(1_000);
    },
    async close() {
      await pipeline.stop();
      await store.close();
    },
  };
}

/** The outcome as `why` shows it, e.g. `suppressed: silenced`. */
export const outcomeOf = ({ outcome, reason }: Delivery): string =>
  reason === null ? outcome : `${outcome}: ${say(reason.text, plainReader)}`;
