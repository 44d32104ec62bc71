import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Lane, Turn } from '../pace/pace.ts';
import type { Clock, WallClock } from '../runtime/clock.ts';
import { type Loop, startLoop } from '../runtime/loop.ts';
import type { RoleWork } from '../runtime/role.ts';
import { second } from '../runtime/units.ts';
import type { Claim, Queued, Store } from '../store/store.ts';
import { type DeliveryContext, type Outlet, type OwnTurn, placeOf, type SharedContext } from './delivery.ts';
import { askAgain, type Outage } from './outage.ts';

/** Wall ms between two looks for what has become due without anything waking the queue. */
const lookEvery = 200;
/** Wall ms for which a free slot waits for others: one look for several costs as many statements as a look for one. */
const gather = 20;
/**
 * Messages that may be on their way to one place: while one is sent, the next is prepared. The other slots are left to
 * other places.
 */
const inOnePlace = 2;
/**
 * Wall ms for which a message waits that turns out to need a turn at another place than it was given. After that it is
 * decided anew.
 */
const patience = second;

export interface QueueOptions {
  readonly outbox: Pick<Store['outbox'], 'next' | 'look'>;
  readonly outage: Outage;
  /** Market time, ms. */
  readonly now: () => number;
  readonly wall: WallClock;
  readonly steady: Clock;
  /** Whether this process still has the role: without it nothing new is begun. */
  readonly holds: () => boolean;
  /** Aborted when nothing new is to be begun. */
  readonly stopping: AbortSignal;
  /** What is read once for all claims that are looked at together. */
  readonly context: () => Promise<SharedContext>;
  /** Decides, sends, and stores what became of it. */
  readonly deliver: (claim: Claim, context: DeliveryContext) => Promise<void>;
  readonly log: Logger;
}

export interface Queue extends RoleWork {
  /** There may be something new to send. */
  wake(): void;
}

/**
 * Sends what waits at one outlet. A receiver first waits for its turn at the platform's pace, and only then is it read
 * what is to be sent there: whoever waits has claimed nothing, and a silence made or an urgent alert that came
 * meanwhile counts. A receiver whose place is out of turns for now takes no slot.
 */
export function startQueue(outlet: Outlet, options: QueueOptions): Queue {
  const { outbox, outage, now, wall, steady, holds, stopping, log } = options;
  const onError = (error: unknown) => log.error({ err: error }, 'pipeline error, retrying');
  /** By receiver. */
  const going = new Map<string, Going>();
  const underWay = new Set<Promise<void>>();
  const readDue = readTogether(options);
  let lookedAt = Number.NEGATIVE_INFINITY;

  const turn = async () => {
    if (!holds()) return lookEvery;
    const waiting = [...going.values()].filter(({ waits }) => waits);
    for (const each of waiting) if (outlet.pace.wait(each.place, laneOf(each.queued)) > 0) each.leave();
    const out = outage.lasts();
    const free = Math.max(0, (out ? 1 : outlet.concurrency) - going.size);
    const routine = waiting.filter(({ queued }) => queued.urgency < mostUrgent).length;
    const atRest = waiting.length > 0 ? lookEvery : Number.POSITIVE_INFINITY;
    if (free + routine === 0) return atRest;
    const early = lookedAt + (out ? askAgain : gather) - steady.now();
    if (early > 0 && (out || free < outlet.concurrency / 2)) return early;
    lookedAt = steady.now();

    const taken = new Map<string, number>();
    for (const { place } of going.values()) taken.set(place, (taken.get(place) ?? 0) + 1);
    let left = free;
    let pause = lookEvery;
    const found = await outbox.next({
      notifier: outlet.name,
      now: now(),
      count: free + routine,
      fits(queued) {
        const already = going.get(queued.key);
        // A receiver that waits in a lane moves to a faster one where something more urgent has come for it.
        if (already !== undefined) return already.waits && queued.urgency > already.queued.urgency;
        const place = likelyPlace(outlet, queued);
        const there = taken.get(place) ?? 0;
        const wait = outlet.pace.wait(place, laneOf(queued));
        if (wait > 0) pause = Math.min(pause, wait);
        if (left === 0 || wait > 0 || there >= inOnePlace) return false;
        taken.set(place, there + 1);
        left -= 1;
        return true;
      },
    });
    for (const queued of found) serve(queued);
    return left > 0 ? pause : atRest;
  };

  const serve = (queued: Queued): void => {
    going.get(queued.key)?.leave();
    const place = likelyPlace(outlet, queued);
    const leaving = new AbortController();
    const own: Going = { queued, place, waits: true, leave: () => leaving.abort(leaves) };
    if (stopping.aborted) own.leave();
    going.set(queued.key, own);
    const work = serveOne(own, leaving.signal).finally(() => {
      if (going.get(queued.key) === own) going.delete(queued.key);
      underWay.delete(work);
      loop.wake();
    });
    underWay.add(work);
  };

  const serveOne = async (own: Going, signal: AbortSignal): Promise<void> => {
    const { place, queued } = own;
    const granted = await outlet.pace.take(place, { lane: laneOf(queued), signal }).catch(() => undefined);
    own.waits = false;
    if (granted === undefined) return;
    const turn = createOwnTurn(granted, { place, outlet, wall, stopping });
    try {
      const found = await readDue(queued.key);
      if (found !== undefined && holds()) await options.deliver(found.claim, { ...found.context, turn });
    } catch (error) {
      onError(error);
      await wall.sleep(second, stopping).catch(() => {});
    } finally {
      turn.end();
    }
  };

  const loop: Loop = startLoop(turn, { wall, onError });
  // One listener for all: an AbortSignal combined for each message costs more than its row in the outbox.
  stopping.addEventListener('abort', () => {
    for (const each of going.values()) each.leave();
  });
  return {
    wake: loop.wake,
    async stop() {
      await loop.stop();
      await Promise.all(underWay);
    },
  };
}

const leaves = new Error('it waits no more');

/** A receiver that is being served: it waits for its turn at the pace, then its messages are sent. */
interface Going {
  readonly queued: Queued;
  readonly place: string;
  waits: boolean;
  /** Ends the waiting, in which nothing has been claimed. Once it has its turn, this does nothing. */
  leave(): void;
}

const lanes: readonly Lane[] = ['edit', 'routine', 'urgent'];
const mostUrgent = lanes.length - 1;
const laneOf = ({ urgency }: Queued): Lane => lanes[urgency] ?? 'routine';

/**
 * The place whose turn it will probably need. Whether it becomes a post or an edit is decided later; its urgency mostly
 * tells.
 */
const likelyPlace = (outlet: Outlet, { receiver, urgency }: Queued): string =>
  placeOf(outlet, { receiver, act: urgency === 0 ? 'edit' : 'post' });

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
  let had: Turn | undefined = turn;
  return {
    async at(wanted, lane) {
      if (wanted === place && had !== undefined) {
        had = undefined;
        return true;
      }
      had?.back();
      had = undefined;
      const impatient = new AbortController();
      const granted = new AbortController();
      wall.sleep(patience, granted.signal).then(
        () => impatient.abort(leaves),
        () => {},
      );
      return outlet.pace
        .take(wanted, { lane, signal: AbortSignal.any([stopping, impatient.signal]) })
        .then(
          () => true,
          () => false,
        )
        .finally(() => granted.abort(leaves));
    },
    end() {
      had?.back();
      had = undefined;
    },
  };
}

interface Found {
  readonly claim: Claim;
  readonly context: SharedContext;
}

/** Receivers whose turns come at the same time are read together: statements cost more than the rows they give. */
function readTogether({
  outbox,
  now,
  context,
}: Pick<QueueOptions, 'outbox' | 'now' | 'context'>): (key: string) => Promise<Found | undefined> {
  let asked: { readonly key: string; readonly answer: PromiseWithResolvers<Found | undefined> }[] = [];

  const answer = async (batch: typeof asked): Promise<void> => {
    try {
      const keys = batch.map(({ key }) => key);
      const [looked, shared] = await Promise.all([outbox.look(keys, now()), context()]);
      const claims = new Map(looked.map((claim) => [claim.key, claim]));
      for (const { key, answer } of batch) {
        const claim = claims.get(key);
        answer.resolve(claim && { claim, context: shared });
      }
    } catch (error) {
      // Each by itself: one that cannot be read must not hold up the others.
      if (batch.length > 1) for (const each of batch) await answer([each]);
      else for (const each of batch) each.answer.reject(error);
    }
  };

  return (key) => {
    const one = { key, answer: Promise.withResolvers<Found | undefined>() };
    asked.push(one);
    if (asked.length === 1)
      void setImmediate().then(() => {
        const batch = asked;
        asked = [];
        return answer(batch);
      });
    return one.answer.promise;
  };
}
