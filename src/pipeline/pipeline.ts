/**
 * The life of an alert, top to bottom. Read this file first.
 *
 *   a detector's changes ─ dispatch ─▶ dispatch rows ─ expansion ─▶ outbox ─ delivery ─▶ messages
 *
 * Each arrow ends in the database before the next begins, so the process may die anywhere: dispatch commits with
 * the detector's state, expansion with its cursor, delivery with what became of the message.
 */
import type { Logger } from 'pino';
import type { Alert, Change, Fact, Labels } from '../alert/alert.ts';
import type { Expectation as PriceClaim } from '../alert/outcome.ts';
import type { ReasonCode } from '../alert/reason.ts';
import { plainReader, say } from '../language/say.ts';
import type { Text } from '../language/text.ts';
import type { Clock, WallClock } from '../runtime/clock.ts';
import { keepRole, type Lease, type Tenure } from '../runtime/role.ts';
import { type Revision, type Tracer, untraced } from '../runtime/tracer.ts';
import type { Claim, Dispatch, RoleStore, Store } from '../store/store.ts';
import { absorb } from './absorb.ts';
import { announce } from './announce.ts';
import { budget } from './budget.ts';
import { dedup } from './dedup.ts';
import { startDelivery, type Way } from './deliver.ts';
import type { DeliveryContext, Outlet } from './delivery.ts';
import { enqueue } from './enqueue.ts';
import { type Expanding, startExpanding } from './expand.ts';
import { expire } from './expire.ts';
import { find } from './find.ts';
import { free } from './free.ts';
import { holdBack } from './hold-back.ts';
import { inhibit } from './inhibit.ts';
import { merge } from './merge.ts';
import { persist } from './persist.ts';
import { point } from './point.ts';
import type { Queue } from './queue.ts';
import { quietHours } from './quiet-hours.ts';
import { record } from './record.ts';
import { route } from './route.ts';
import { send } from './send.ts';
import { settle } from './settle.ts';
import { silence } from './silence.ts';
import { Stages } from './stage.ts';
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

/** What a killed process may have posted is looked for first: it is there and lives on, or it is decided on anew. */
const finding = Stages.begin(find).next(merge).next(throttle).next(send).next(settle);

/** A message that a newer one has replaced is edited to point there: every post comes to an end. */
const pointing = Stages.begin(point).next(throttle).next(send).next(settle);

const wayOf = ({ replaced, doubt }: Claim, { connection }: Outlet): Way =>
  replaced !== null ? pointing : doubt !== null && connection.find !== undefined ? finding : delivery;

export interface PipelineOptions extends Pick<DeliveryContext, 'budget' | 'expireAfter' | 'inhibitRules'> {
  readonly store: Store;
  readonly outlets: readonly Outlet[];
  readonly pageSize: number;
  /** Market time, ms. */
  readonly now: () => number;
  /** Market ms in one of the wall; left out: one. */
  readonly speed?: () => number;
  readonly wall: WallClock;
  /** Goes on evenly, whatever is done to the wall's. */
  readonly steady: Clock;
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
  /** Left out: nothing is traced. */
  readonly tracer?: Tracer | undefined;
  /** Told of every way out of the pipeline, for metrics. */
  readonly count: (given: {
    readonly outcome: string;
    readonly reason: ReasonCode | '';
    readonly notifier: string;
  }) => void;
  /** Told of every post that was not to wait: seconds by the wall from what it tells of to its being accepted. */
  readonly delivered?: (
    seconds: number,
    given: { readonly notifier: string; readonly lane: 'urgent' | 'routine' },
  ) => void;
  /** Ms after which another process has a role whose holder is no more. */
  readonly ttl?: number;
}

export interface Pipeline {
  /** Keeps a detector's new state and what it changed, together, under the role of whoever watches; delivers behind. */
  dispatch(
    detector: {
      readonly name: string;
      readonly groupWait: number;
      /** What an alert of it says of the price; left out: nothing. */
      readonly claim?: (labels: Labels) => PriceClaim | null;
    },
    given: {
      readonly state: unknown;
      readonly changes: readonly Change[];
      readonly watching?: Lease | undefined;
    },
  ): Promise<void>;
  /** Ends after what is being sent is sent and kept. */
  stop(): Promise<void>;
}

/**
 * Each part runs where its role is held, of all processes in one: `expand`, and `deliver:<outlet>` for each outlet, so that
 * one bot token has one pace and one order. Dispatch runs where `watch` is.
 */
export async function startPipeline(options: PipelineOptions): Promise<Pipeline> {
  const { store, outlets, inhibitRules, now, wall, log, count, market = '' } = options;
  const { tracer = untraced } = options;
  const stopping = new AbortController();
  const roles = { ...options, leases: store.leases };
  const delivering = new Map<string, Queue>();
  const wakeDelivery = () => {
    for (const queue of delivering.values()) queue.wake();
  };
  let expanding: Expanding | undefined;

  const parts = [
    await keepRole('expand', {
      ...roles,
      start: ({ lease }) => {
        const own = store.under(lease);
        expanding = startExpanding(own, {
          ...options,
          handOn: handingOn(own, options),
          came: wakeDelivery,
        });
        return expanding;
      },
    }),
  ];
  for (const outlet of outlets) {
    const deliver = async (tenure: Tenure) => {
      const queue = await startDelivery(outlet, { wayOf, options: { ...options, tenure } });
      delivering.set(outlet.name, queue);
      return queue;
    };
    parts.push(await keepRole(`deliver:${outlet.name}`, { ...roles, start: deliver }));
  }

  return {
    async dispatch({ name, groupWait, claim = () => null }, { state, changes, watching }) {
      const own = watching === undefined ? store : store.under(watching);
      const at = now();
      let unanswered = false;
      let announced: Revision[] = [];
      const keep = (left: readonly Change[], begin: (change: Change) => void) =>
        own.dispatch(async (unit) => {
          if (unanswered && (await unit.isSaved(name, { state, now: at }))) return;
          unanswered = true;
          announced = [];
          const context = { unit, now: at, groupWait, inhibitRules, market, claim };
          for (const change of left) {
            begin(change);
            const kept = await dispatching.run(change, {
              context,
              stopped: (stop, { stage }) => {
                const reason = say(stop.reason.text, plainReader);
                log.info({ stage, reason, labels: change.labels }, 'alert held back');
                count({ outcome: 'suppressed', reason: stop.reason.code, notifier: '' });
              },
            });
            announced.push(...kept.map(({ alert }) => revisionOf(alert)));
          }
          await unit.saveState(name, { state, now: at });
        });
      await tracer.span({ name: 'dispatch', attributes: { 'tocsin.detector': name } }, async (span) => {
        await persist(changes, { keep, wall, log, stopping: stopping.signal });
        span.announce(announced);
      });
      if (changes.length > 0) expanding?.wake();
    },
    async stop() {
      stopping.abort(new Error('the bot is stopping'));
      await Promise.all(parts.map((part) => part.stop()));
    },
  };
}

/** What was announced goes on to the outbox, in the traces of what it tells of. */
const handingOn =
  (own: RoleStore, options: PipelineOptions) =>
  (dispatches: readonly Dispatch[]): Promise<unknown> => {
    const { now, universe = () => [], tracer = untraced } = options;
    return tracer.span({ name: 'expand', of: dispatches.map(({ alert }) => revisionOf(alert)) }, () =>
      expansion.run(dispatches, {
        context: { ...options, store: own, universe: universe(), now: now() },
        stopped: () => {},
      }),
    );
  };

const revisionOf = ({ id, revision }: Alert): Revision => ({ alertId: id, revision });
