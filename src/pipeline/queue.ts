import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock, WallClock } from '../runtime/clock.ts';
import { type Loop, startLoop } from '../runtime/loop.ts';
import type { Lane, Turn } from '../runtime/pace.ts';
import type { RoleWork } from '../runtime/role.ts';
import { second } from '../runtime/units.ts';
import type { Claim, Queued, Store } from '../store/ports.ts';
import { type DeliveryContext, type Outlet, type OwnTurn, placeOf, type SharedContext } from './delivery.ts';
import { type Outage, outageRetryDelay } from './outage.ts';

/** Wall ms between two checks for messages that have become due without the queue being woken. */
const lookEvery = 200;
/**
 * Wall ms for which a free slot waits for more slots to become free: a check for several costs as many statements as a
 * check for one.
 */
const gatherTime = 20;
/**
 * The number of messages that may be on their way to one place: while one is sent, the next is prepared. The other
 * slots are left to other places.
 */
const maxInOnePlace = 2;
/**
 * Wall ms for which a message waits for a turn at another place than the one for which it was given a turn. After that
 * it is decided on again.
 */
const patience = second;

interface QueueOptions {
  readonly outbox: Pick<Store['outbox'], 'next' | 'queued' | 'look'>;
  readonly outage: Outage;
  /** Market time, ms. */
  readonly now: () => number;
  readonly wall: WallClock;
  readonly steady: Clock;
  /** Returns whether this process still holds the role. Without the role nothing new is begun. */
  readonly holdsRole: () => boolean;
  /** Aborted when nothing new is to be begun. */
  readonly stopping: AbortSignal;
  /** Reads what all claims of one batch share. */
  readonly context: () => Promise<SharedContext>;
  /** Decides on a claim, sends its message, and stores the outcome. */
  readonly deliver: (claim: Claim, context: DeliveryContext) => Promise<void>;
  readonly log: Logger;
}

export interface Queue extends RoleWork {
  /** Starts a check at once, because there may be something new to send. */
  wake(): void;
}

/**
 * Sends the messages that wait at one outlet. A receiver first waits for its turn at the platform's pace; only then is
 * its claim read from the outbox. A receiver that waits has therefore claimed nothing, and a silence or an urgent alert
 * that comes meanwhile is taken into account. A receiver whose place has no turn left for now takes no slot.
 */
export function startQueue(outlet: Outlet, options: QueueOptions): Queue {
  const { outbox, outage, now, wall, steady, holdsRole, stopping, log } = options;
  const onError = (error: unknown) => log.error({ err: error }, 'pipeline error, retrying');
  /** Receivers that are being served, by their keys. */
  const servedByKey = new Map<string, ServedReceiver>();
  const underWay = new Set<Promise<void>>();
  const readDue = createClaimReader(options);
  let lookedAt = Number.NEGATIVE_INFINITY;

  const turn = async () => {
    if (!holdsRole()) return lookEvery;
    const waiting = [...servedByKey.values()].filter(({ isWaiting }) => isWaiting);
    for (const each of waiting) if (outlet.pace.wait(each.place, laneOf(each.queued)) > 0) each.stopWaiting();
    const isOutage = outage.isLasting();
    const freeSlots = Math.max(0, (isOutage ? 1 : outlet.concurrency) - servedByKey.size);
    const upgradable = waiting.filter(({ queued }) => queued.urgency < mostUrgent);
    const idlePause = waiting.length > 0 ? lookEvery : Number.POSITIVE_INFINITY;
    if (freeSlots + upgradable.length === 0) return idlePause;
    const remainingPause = lookedAt + (isOutage ? outageRetryDelay : gatherTime) - steady.now();
    if (remainingPause > 0 && (isOutage || freeSlots < outlet.concurrency / 2)) return remainingPause;
    lookedAt = steady.now();

    await moveToFasterLanes(upgradable);
    if (freeSlots === 0) return idlePause;

    const countByPlace = new Map<string, number>();
    for (const { place } of servedByKey.values()) countByPlace.set(place, (countByPlace.get(place) ?? 0) + 1);
    let pause = lookEvery;
    const found = await outbox.next({
      notifier: outlet.name,
      now: now(),
      count: freeSlots,
      fits(queued) {
        if (servedByKey.has(queued.key)) return false;
        const place = likelyPlace(outlet, queued);
        const inPlace = countByPlace.get(place) ?? 0;
        const wait = outlet.pace.wait(place, laneOf(queued));
        if (wait > 0) pause = Math.min(pause, wait);
        if (wait > 0 || inPlace >= maxInOnePlace) return false;
        countByPlace.set(place, inPlace + 1);
        return true;
      },
    });
    for (const queued of found) serve(queued);
    return found.length < freeSlots ? pause : idlePause;
  };

  /** Serves receivers that wait in a lane anew, if something more urgent has come for them. */
  const moveToFasterLanes = async (waiting: readonly ServedReceiver[]): Promise<void> => {
    if (waiting.length === 0) return;
    const keys = waiting.map(({ queued }) => queued.key);
    for (const queued of await outbox.queued(keys, now())) {
      const served = servedByKey.get(queued.key);
      if (served?.isWaiting === true && queued.urgency > served.queued.urgency) serve(queued);
    }
  };

  const serve = (queued: Queued): void => {
    servedByKey.get(queued.key)?.stopWaiting();
    const place = likelyPlace(outlet, queued);
    const waitAbort = new AbortController();
    const own: ServedReceiver = {
      queued,
      place,
      isWaiting: true,
      stopWaiting: () => waitAbort.abort(stoppedWaiting),
    };
    if (stopping.aborted) own.stopWaiting();
    servedByKey.set(queued.key, own);
    const work = serveOne(own, waitAbort.signal).finally(() => {
      if (servedByKey.get(queued.key) === own) servedByKey.delete(queued.key);
      underWay.delete(work);
      loop.wake();
    });
    underWay.add(work);
  };

  const serveOne = async (own: ServedReceiver, signal: AbortSignal): Promise<void> => {
    const { place, queued } = own;
    const granted = await outlet.pace.take(place, { lane: laneOf(queued), signal }).catch(() => undefined);
    own.isWaiting = false;
    if (granted === undefined) return;
    // It stopped waiting after the pace had given it the turn and before it knew: the receiver may be served anew by now.
    if (signal.aborted) return granted.giveBack();
    const turn = createOwnTurn(granted, { place, outlet, wall, stopping });
    try {
      const found = await readDue(queued.key);
      if (found !== undefined && holdsRole()) await options.deliver(found.claim, { ...found.context, turn });
    } catch (error) {
      onError(error);
      await wall.sleep(second, stopping).catch(() => {});
    } finally {
      turn.giveBack();
    }
  };

  const loop: Loop = startLoop(turn, {
    wall,
    onError,
    onRecovery: () => log.info('the pipeline goes on'),
  });
  // One listener serves all: to combine an AbortSignal for each message costs more than the message's row in the outbox.
  stopping.addEventListener('abort', () => {
    for (const each of servedByKey.values()) each.stopWaiting();
  });
  return {
    wake: loop.wake,
    async stop() {
      await loop.stop();
      await Promise.all(underWay);
    },
  };
}

const stoppedWaiting = new Error('it waits no more');

/** A receiver that is being served: it waits for its turn at the pace, then its messages are sent. */
interface ServedReceiver {
  readonly queued: Queued;
  readonly place: string;
  isWaiting: boolean;
  /** Ends the wait for a turn, during which nothing has been claimed. Does nothing once the receiver has its turn. */
  stopWaiting(): void;
}

const lanes: readonly Lane[] = ['edit', 'routine', 'urgent'];
const mostUrgent = lanes.length - 1;
const laneOf = ({ urgency }: Queued): Lane => lanes[urgency] ?? 'routine';

/**
 * Returns the place at which the receiver will probably need a turn. Whether its message becomes a post or an edit is
 * decided later, but its urgency usually tells.
 */
const likelyPlace = (outlet: Outlet, { receiver, urgency }: Queued): string =>
  placeOf(outlet, receiver, urgency === 0 ? 'edit' : 'post');

function createOwnTurn(
  turn: Turn,
  {
    place,
    outlet,
    wall,
    stopping,
  }: {
    readonly place: string;
    readonly outlet: Outlet;
    readonly wall: WallClock;
    readonly stopping: AbortSignal;
  },
): OwnTurn {
  let unusedTurn: Turn | undefined = turn;
  return {
    async useAt(wanted, lane) {
      if (wanted === place && unusedTurn !== undefined) {
        unusedTurn = undefined;
        return true;
      }
      unusedTurn?.giveBack();
      unusedTurn = undefined;
      const waitTooLong = new AbortController();
      const granted = new AbortController();
      wall.sleep(patience, granted.signal).then(
        () => waitTooLong.abort(stoppedWaiting),
        () => {},
      );
      return outlet.pace
        .take(wanted, { lane, signal: AbortSignal.any([stopping, waitTooLong.signal]) })
        .then(
          () => true,
          () => false,
        )
        .finally(() => granted.abort(stoppedWaiting));
    },
    giveBack() {
      unusedTurn?.giveBack();
      unusedTurn = undefined;
    },
  };
}

interface FoundClaim {
  readonly claim: Claim;
  readonly context: SharedContext;
}

/**
 * Returns a function that reads the claim of a receiver. Receivers whose turns come at the same time are read together,
 * because statements cost more than the rows they return.
 */
function createClaimReader({
  outbox,
  now,
  context,
}: Pick<QueueOptions, 'outbox' | 'now' | 'context'>): (key: string) => Promise<FoundClaim | undefined> {
  let requested: { readonly key: string; readonly answer: PromiseWithResolvers<FoundClaim | undefined> }[] =
    [];

  const readBatch = async (batch: typeof requested): Promise<void> => {
    try {
      const keys = batch.map(({ key }) => key);
      const [looked, shared] = await Promise.all([outbox.look(keys, now()), context()]);
      const claims = new Map(looked.map((claim) => [claim.key, claim]));
      for (const { key, answer } of batch) {
        const claim = claims.get(key);
        answer.resolve(claim && { claim, context: shared });
      }
    } catch (error) {
      // Read each by itself: a receiver that cannot be read must not hold up the others.
      if (batch.length > 1) for (const each of batch) await readBatch([each]);
      else for (const each of batch) each.answer.reject(error);
    }
  };

  return (key) => {
    const one = { key, answer: Promise.withResolvers<FoundClaim | undefined>() };
    requested.push(one);
    if (requested.length === 1)
      void setImmediate().then(() => {
        const batch = requested;
        requested = [];
        return readBatch(batch);
      });
    return one.answer.promise;
  };
}
