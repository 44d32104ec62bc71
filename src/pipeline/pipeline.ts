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
import type { InhibitRule } from '../alert/inhibit.ts';
import type { Claim as PriceClaim } from '../alert/outcome.ts';
import type { ReasonCode } from '../alert/reason.ts';
import { plainReader, say } from '../language/say.ts';
import type { Text } from '../language/text.ts';
import type { WallClock } from '../runtime/clock.ts';
import { type Loop, startLoop } from '../runtime/loop.ts';
import { minute } from '../runtime/units.ts';
import type { Claim, Settlement, Store } from '../store/store.ts';
import { announce } from './announce.ts';
import { blindKinds } from './blindness.ts';
import { dedup } from './dedup.ts';
import type { DeliveryContext, Outlet } from './delivery.ts';
import { enqueue } from './enqueue.ts';
import { expire } from './expire.ts';
import { holdBack } from './hold-back.ts';
import { inhibit } from './inhibit.ts';
import { merge } from './merge.ts';
import { askAgain, createOutage, type Outage } from './outage.ts';
import { point } from './point.ts';
import { quietHours } from './quiet-hours.ts';
import { record } from './record.ts';
import { route } from './route.ts';
import { send } from './send.ts';
import { groupCommit, settle } from './settle.ts';
import { silence } from './silence.ts';
import { Stages, type Stop } from './stage.ts';
import { throttle } from './throttle.ts';

/** A change becomes a revision of its alert and is announced. One transaction with the detector's new state. */
const dispatching = Stages.begin(record).next(inhibit).next(announce);

/** An announced revision reaches the outbox, a page of subscriptions at a time. */
const expansion = Stages.begin(route).next(enqueue);

/** What is due for one receiver and group becomes one message: posted, edited, or held back for a reason. */
const delivery = Stages.begin(holdBack)
  .next(silence)
  .next(quietHours)
  .next(dedup)
  .next(merge)
  .next(expire)
  .next(throttle)
  .next(send)
  .next(settle);

/** A message that a newer one has replaced is edited to point there: every post comes to an end. */
const pointing = Stages.begin(point).next(throttle).next(send).next(settle);

export interface PipelineOptions {
  readonly store: Store;
  readonly outlets: readonly Outlet[];
  readonly inhibitRules: readonly InhibitRule[];
  /** Market ms after which an alert is not told anew. */
  readonly expireAfter: number;
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
    pageSize,
    now,
    wall,
    log,
    count,
    universe = () => [],
    market = '',
    recordOf = () => undefined,
  } = options;
  const stopping = new AbortController();
  const commit = groupCommit(store.outbox);
  const onError = (error: unknown) => log.error({ err: error }, 'the pipeline stumbled and goes on');

  const doubtful = await store.outbox.recover();
  if (doubtful > 0) log.warn({ doubtful }, 'messages were being posted when the last run ended');

  const expanding = startLoop(
    async () => {
      const next = await store.expansion.next();
      if (next === undefined) return Number.POSITIVE_INFINITY;
      await expansion.run(next, { store, pageSize, now: now(), universe: universe() }, () => {});
      for (const { loop } of delivering) loop.wake();
      return 0;
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
      const context = await deliveryContext(outlet, outage);
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
      await store.outbox.promote(now(), wall.now());
      for (const { loop } of delivering) loop.wake();
      return look;
    },
    { wall, onError },
  );

  const ending = startLoop(
    async () => {
      if ((await store.outbox.endLagging(now())) > 0) for (const { loop } of delivering) loop.wake();
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
      begin: (claim) => commit({ kind: 'begun', claim, at: now(), lease: wall.now() + lease }),
      async settle(settlement) {
        await commit(settlement);
        const reason = 'reason' in settlement ? settlement.reason : null;
        count(settlement.kind, reason?.code ?? '', outlet.name);
      },
    };
  };

  async function deliver(claim: Claim, context: DeliveryContext): Promise<void> {
    const stopped: { stop: Stop; stage: string }[] = [];
    const stages = claim.replaced === null ? delivery : pointing;
    await stages.run(claim, context, (stop, stage) => stopped.push({ stop, stage }));
    for (const { stop, stage } of stopped) {
      log.debug({ stage, reason: stop.reason.code, receiver: claim.key, group: claim.group }, stop.verdict);
      await context.settle(heldBack(claim, stop, now()));
    }
  }

  return {
    async dispatch({ name, groupWait, claim = () => null }, state, changes) {
      await store.dispatch(async (unit) => {
        const at = now();
        for (const change of changes) {
          await dispatching.run(
            change,
            { unit, now: at, groupWait, inhibitRules, market, claim },
            (stop, stage) => {
              log.info(
                { stage, reason: say(stop.reason.text, plainReader), labels: change.labels },
                'alert held back',
              );
              count('suppressed', stop.reason.code, '');
            },
          );
        }
        await unit.saveState(name, state, at);
      });
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

const heldBack = (claim: Claim, stop: Stop, at: number): Settlement =>
  stop.verdict === 'postpone'
    ? { kind: 'postponed', claim, at, until: stop.until, reason: stop.reason }
    : { kind: claim.replaced === null ? 'suppressed' : 'pointed', claim, at, reason: stop.reason };
