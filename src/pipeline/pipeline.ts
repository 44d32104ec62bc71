/**
 * The life of an alert, top to bottom. Read this file first.
 *
 *   a detector's changes ─ dispatch ─▶ dispatch rows ─ expansion ─▶ outbox ─ delivery ─▶ messages
 *
 * Each arrow ends in the database before the next begins, so the process may die anywhere: dispatch commits with
 * the detector's state, expansion with its cursor, delivery with what became of the message.
 */
import type { Logger } from 'pino';
import type { Change, Fact, Labels } from '../alert/alert.ts';
import type { Claim as PriceClaim } from '../alert/outcome.ts';
import type { ReasonCode } from '../alert/reason.ts';
import { plainReader, say } from '../language/say.ts';
import type { Text } from '../language/text.ts';
import type { WallClock } from '../runtime/clock.ts';
import { type Loop, startLoop } from '../runtime/loop.ts';
import { minute } from '../runtime/units.ts';
import type { Claim, Settlement, Store } from '../store/store.ts';
import { absorb } from './absorb.ts';
import { announce } from './announce.ts';
import { blindKinds } from './blindness.ts';
import { budget } from './budget.ts';
import { dedup } from './dedup.ts';
import { defect, tries } from './defect.ts';
import type { DeliveryContext, Outlet } from './delivery.ts';
import { enqueue } from './enqueue.ts';
import { createExpansion } from './expand.ts';
import { expire } from './expire.ts';
import { free } from './free.ts';
import { holdBack } from './hold-back.ts';
import { inhibit } from './inhibit.ts';
import { merge } from './merge.ts';
import { askAgain, createOutage, type Outage } from './outage.ts';
import { persist } from './persist.ts';
import { point } from './point.ts';
import { quietHours } from './quiet-hours.ts';
import { record } from './record.ts';
import { route } from './route.ts';
import { backoff, doubtOf, send } from './send.ts';
import { groupCommit, settle } from './settle.ts';
import { silence } from './silence.ts';
import { Stages, type Stop } from './stage.ts';
import { throttle } from './throttle.ts';

/** A change becomes a revision of its alert and is announced. One transaction with the detector's new state. */
const dispatching = Stages.begin(record).next(absorb).next(free).next(inhibit).next(announce);

/** An announced revision reaches the outbox, a page of subscriptions at a time. */
const expansion = Stages.begin(route).next(enqueue);

/** What is due for one receiver and group becomes one message: posted, edited, or held back for a reason. */
const delivery = Stages.begin(holdBack)
  .next(silence)
  .next(quietHours)
  .next(dedup)
  .next(budget)
  .next(merge)
  .next(expire)
  .next(throttle)
  .next(send)
  .next(settle);

/** A message that a newer one has replaced is edited to point there: every post comes to an end. */
const pointing = Stages.begin(point).next(throttle).next(send).next(settle);

export interface PipelineOptions extends Pick<DeliveryContext, 'budget' | 'expireAfter' | 'inhibitRules'> {
  readonly store: Store;
  readonly outlets: readonly Outlet[];
  readonly pageSize: number;
  /** Market time, ms. */
  readonly now: () => number;
  readonly wall: WallClock;
  readonly random: () => number;
  /** Tracked symbols, the largest volume first; without it nobody is told by `top20` and the like. */
  readonly universe?: () => readonly string[];
  /** "simulated, 240 ×", shown on every card. */
  readonly source: () => Text;
  /** Which market the alerts are of: the record keeps each apart. */
  readonly market?: string;
  /** What came of a kind's alerts before, as its cards say it. */
  readonly recordOf?: (kind: string) => Fact | undefined;
  readonly log: Logger;
  /** Told of every way out of the pipeline, for metrics. */
  readonly count: (outcome: string, reason: ReasonCode | '', notifier: string) => void;
}

export interface Pipeline {
  /** Keeps a detector's new state and what it changed, together; delivers behind. */
  dispatch(
    detector: {
      readonly name: string;
      readonly groupWait: number;
      /** What an alert of it says of the price; left out: nothing. */
      readonly claim?: (labels: Labels) => PriceClaim | null;
    },
    state: unknown,
    changes: readonly Change[],
  ): Promise<void>;
  /** Ends after what is being sent is sent and kept. */
  stop(): Promise<void>;
}

/** Wall ms a claim is this process's, and again from its turn on; a send that takes longer may be repeated by another. */
const lease = 2 * minute;
/** Wall ms between two looks for what has come due by the clock alone. */
const look = 200;
/** Wall ms in which slots that come free wait for one another: a claim costs a transaction, whatever its size. */
const gather = 20;
/** Wall ms between two looks for messages that nobody is on the way to end. */
const lookForLagging = minute;

export async function startPipeline(options: PipelineOptions): Promise<Pipeline> {
  const {
    store,
    outlets,
    inhibitRules,
    expireAfter,
    pageSize,
    now,
    wall,
    random,
    log,
    count,
    universe = () => [],
    market = '',
    recordOf = () => undefined,
  } = options;
  const stopping = new AbortController();
  const { commit, behind } = groupCommit(store.outbox, { wall, log, stopping: stopping.signal });
  const onError = (error: unknown) => log.error({ err: error }, 'pipeline error, retrying');

  const doubtful = await store.outbox.recover();
  if (doubtful > 0) log.warn({ doubtful }, 'messages were being posted when the last run ended');

  const expandNext = createExpansion(
    store,
    (dispatches) =>
      expansion.run(dispatches, { store, pageSize, now: now(), universe: universe() }, () => {}),
    { wall, log },
  );
  const expanding = startLoop(
    async () => {
      const pause = await expandNext();
      for (const { loop } of delivering) if (pause === 0) loop.wake();
      return pause;
    },
    { wall, onError },
  );

  const delivering = outlets.map((outlet) => {
    const underWay = new Set<Promise<void>>();
    const outage = createOutage(() => {
      const released = store.outbox.release(outlet.name).then(() => loop.wake());
      released.catch(onError);
    });
    let claimedAt = Number.NEGATIVE_INFINITY;
    const turn = async () => {
      const out = outage.lasts();
      const free = (out ? 1 : outlet.concurrency) - underWay.size;
      if (free <= 0) return Number.POSITIVE_INFINITY;
      const early = claimedAt + (out ? askAgain : gather) - wall.now();
      if (early > 0 && (out || free < outlet.concurrency / 2)) return early;
      claimedAt = wall.now();
      const claims = await store.outbox.claim({
        notifiers: [outlet.name],
        count: free,
        now: now(),
        wall: wall.now(),
        lease,
      });
      if (claims.length === 0) return Number.POSITIVE_INFINITY;
      const context = deliveryContext(outlet, outage);
      for (const claim of claims) {
        const work = deliver(claim, context)
          .catch(onError)
          .finally(() => {
            underWay.delete(work);
            loop.wake();
          });
        underWay.add(work);
      }
      return 0;
    };
    const loop: Loop = startLoop(turn, { wall, onError });
    return { loop, underWay };
  });

  const promoting = startLoop(
    async () => {
      // A lease that ends while its settlement waits for the database is still ours.
      if (behind()) return look;
      await store.outbox.promote(now(), wall.now());
      for (const { loop } of delivering) loop.wake();
      return look;
    },
    { wall, onError },
  );

  const ending = startLoop(
    async () => {
      if ((await store.outbox.endLagging(now())) > 0) for (const { loop } of delivering) loop.wake();
      const names = outlets.map(({ name }) => name);
      const unserved = await store.outbox.endUnserved(names, now() - expireAfter, now());
      if (unserved > 0) log.warn({ unserved }, 'what waited for platforms that are not set up has failed');
      return lookForLagging;
    },
    { wall, onError },
  );

  const deliveryContext = async (outlet: Outlet, outage: Outage): Promise<DeliveryContext> => {
    const firing = await store.alerts.firing();
    return {
      ...options,
      universe,
      recordOf,
      outlet,
      outage,
      broader: firing.filter(({ labels }) => inhibitRules.some(({ by }) => by.kind === labels.kind)),
      blind: blindKinds(firing),
      cards: new Map(),
      stopping: stopping.signal,
      begin: (claim, act) =>
        commit({ kind: 'begun', claim, at: now(), lease: wall.now() + lease, doubt: doubtOf(act) }),
      async settle(settlement) {
        // What was sent and cannot be kept as it is must not be sent again: that it failed can be.
        await commit(settlement).catch((error) => commit(failedBy(error, settlement.claim, now())));
        const reason = 'reason' in settlement ? settlement.reason : null;
        count(settlement.kind, reason?.code ?? '', outlet.name);
      },
    };
  };

  async function deliver(claim: Claim, given: Promise<DeliveryContext>): Promise<void> {
    const context = await given.catch(async (error: unknown) => {
      await commit(later(claim, error, { attempted: false }));
      throw error;
    });
    const stopped: { stop: Stop; stage: string }[] = [];
    const stages = claim.replaced === null ? delivery : pointing;
    try {
      await stages.run(claim, context, (stop, stage) => stopped.push({ stop, stage }));
    } catch (error) {
      log.error({ err: error, receiver: claim.key, group: claim.group }, 'a message failed');
      const last = claim.attempts + 1 >= tries;
      await context.settle(last ? failedBy(error, claim, now()) : later(claim, error, { attempted: true }));
    }
    for (const { stop, stage } of stopped) {
      log.debug({ stage, reason: stop.reason.code, receiver: claim.key, group: claim.group }, stop.verdict);
      await context.settle(heldBack(claim, stop, now()));
    }
  }

  const later = (claim: Claim, error: unknown, { attempted }: { attempted: boolean }): Settlement => ({
    kind: 'retry',
    ...{ claim, attempted, at: now(), doubt: claim.doubt, reason: defect(error) },
    holdUntil: wall.now() + backoff(claim.attempts, random),
    holds: 'message',
    outage: false,
  });

  return {
    async dispatch({ name, groupWait, claim = () => null }, state, changes) {
      const keep = (left: readonly Change[], begin: (change: Change) => void) =>
        store.dispatch(async (unit) => {
          const at = now();
          const context = { unit, now: at, groupWait, inhibitRules, market, claim };
          for (const change of left) {
            begin(change);
            await dispatching.run(change, context, (stop, stage) => {
              const reason = say(stop.reason.text, plainReader);
              log.info({ stage, reason, labels: change.labels }, 'alert held back');
              count('suppressed', stop.reason.code, '');
            });
          }
          await unit.saveState(name, state, at);
        });
      await persist(changes, keep, { wall, log, stopping: stopping.signal });
      if (changes.length > 0) expanding.wake();
    },
    async stop() {
      await Promise.all([expanding.stop(), promoting.stop(), ending.stop()]);
      await Promise.all(delivering.map(({ loop }) => loop.stop()));
      // What waits for its turn at the pace goes back to the outbox; what is being sent ends.
      stopping.abort(new Error('the bot is stopping'));
      await Promise.all(delivering.flatMap(({ underWay }) => [...underWay]));
    },
  };
}

const failedBy = (error: unknown, claim: Claim, at: number): Settlement => ({
  kind: claim.replaced === null ? 'failed' : 'pointed',
  ...{ claim, at, reason: defect(error) },
});

const heldBack = (claim: Claim, stop: Stop, at: number): Settlement =>
  stop.verdict === 'postpone'
    ? { kind: 'postponed', claim, at, until: stop.until, group: stop.group, reason: stop.reason }
    : { kind: claim.replaced === null ? 'suppressed' : 'pointed', claim, at, reason: stop.reason };
