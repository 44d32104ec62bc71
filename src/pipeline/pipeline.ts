/**
 * The life of an alert, top to bottom. Read this file first.
 *
 *   a detector's changes ─ dispatch ─▶ dispatch rows ─ expansion ─▶ outbox ─ delivery ─▶ messages
 *
 * - Dispatch turns a detector's changes into revisions of alerts and stores them, together with the detector's state.
 * - Expansion finds the subscriptions that want a revision and puts a row for each receiver into the outbox, together
 *   with a cursor that says how far it has come.
 * - Delivery turns the due rows of a receiver into one message, sends it, and stores the outcome.
 *
 * Each step commits to the database before the next one begins. So the process may be killed at any time: the next
 * process continues from what is stored.
 */

import type { Change } from '../alert/alert.ts';
import { plainReader, say } from '../language/say.ts';
import { type HeldRole, keepRole, type RoleWork } from '../runtime/role.ts';
import type { Claim, Dispatch, KeptAlert, RoleStore } from '../store/ports.ts';
import { absorb } from './absorb.ts';
import { announce } from './announce.ts';
import { startBoards } from './boards.ts';
import { budget } from './budget.ts';
import { dedup } from './dedup.ts';
import type { Outlet } from './delivery.ts';
import { type Revision, revisionsOf } from './delivery.ts';
import { enqueue } from './enqueue.ts';
import { type Expanding, startExpanding } from './expand.ts';
import { expire } from './expire.ts';
import { find } from './find.ts';
import { free, unheld } from './free.ts';
import { holdBack } from './hold-back.ts';
import { inhibit } from './inhibit.ts';
import { type ClaimStages, startDelivery } from './keep-delivering.ts';
import { merge } from './merge.ts';
import type { Pipeline, PipelineOptions } from './options.ts';
import { persist } from './persist.ts';
import { point } from './point.ts';
import type { Queue } from './queue.ts';
import { quietHours } from './quiet-hours.ts';
import { revise } from './revise.ts';
import { route } from './route.ts';
import { send } from './send.ts';
import { settle } from './settle.ts';
import { silence } from './silence.ts';
import { Stages } from './stage.ts';
import { throttle } from './throttle.ts';

/** Turns a change into a revision of its alert and announces it, in one transaction with the detector's new state. */
const dispatching = Stages.begin(revise).next(absorb).next(free).next(inhibit).next(announce);

/** Announces a held-back alert of the detector's kind if nothing holds it back any more. */
const releasing = Stages.begin(inhibit).next(announce);

/** Puts an announced revision into the outbox for the receivers that want it, a page of subscriptions at a time. */
const expansion = Stages.begin(route).next(enqueue);

/**
 * Turns all that is due for one receiver and group (the alerts that share a post) into one message. The message is
 * posted, edited, or held back for a reason that is stored. A post that a killed process may have sent is looked for first.
 */
const delivery = Stages.begin(find)
  .next(holdBack)
  .next(silence)
  .next(quietHours)
  .next(dedup)
  .next(budget)
  .next(merge)
  .next(expire)
  .next(throttle)
  .next(send)
  .next(settle);

/** Edits a message that a newer one has replaced, so that it points to the newer one and shows nothing outdated. */
const pointing = Stages.begin(point).next(throttle).next(send).next(settle);

const stagesOf = ({ replaced }: Claim): ClaimStages => (replaced === null ? delivery : pointing);

export type * from './options.ts';

/**
 * Starts the parts that run in the background. Each part has a role, and of all processes only the one that holds the role
 * runs it: `expand`, and `deliver:<outlet>` for each outlet, so that one bot token has one pace and one order. Dispatch has
 * no role of its own: it runs in the process that calls it, usually the holder of the role `watch`.
 */
export async function startPipeline(options: PipelineOptions): Promise<Pipeline> {
  const { store, outlets, inhibitRules, now, wall, log, count, market = '' } = options;
  const stopping = new AbortController();
  const roleOptions = { ...options, leases: store.leases };
  const delivering = new Map<string, Queue>();
  const served = new Map<string, Promise<RoleWork>>();
  const names = new Set(outlets.map(({ name }) => name));
  const wakeDelivery = () => {
    for (const queue of delivering.values()) queue.wake();
  };
  let expanding: Expanding | undefined;

  const expandRole = await keepRole('expand', roleOptions, ({ lease }) => {
    const own = store.under(lease);
    expanding = startExpanding(own, {
      ...options,
      names,
      handOn: handingOn(own, options),
      onQueued: wakeDelivery,
    });
    return expanding;
  });
  const deliverBy = (outlet: Outlet): Promise<RoleWork> => {
    const deliver = async (heldRole: HeldRole) => {
      const queue = await startDelivery(outlet, stagesOf, { ...options, heldRole });
      delivering.set(outlet.name, queue);
      const { draw } = options;
      if (draw === undefined) return queue;
      const boards = startBoards(outlet, {
        ...options,
        boards: store.under(heldRole.lease).boardLog,
        draw,
        heldRole,
      });
      return { stop: async () => void (await Promise.all([queue.stop(), boards.stop()])) };
    };
    return keepRole(`deliver:${outlet.name}`, roleOptions, deliver);
  };
  const serve = async (outlet: Outlet): Promise<void> => {
    names.add(outlet.name);
    await served.getOrInsertComputed(outlet.name, () => deliverBy(outlet));
  };
  for (const outlet of outlets) await serve(outlet);

  return {
    async dispatch({ name, groupWait, prediction = () => null }, { state, changes, watching, also }) {
      const own = watching === undefined ? store : store.under(watching);
      const at = now();
      let unanswered = false;
      let announced: Revision[] = [];
      const keep = (remaining: readonly Change[], begin: (change: Change) => void) =>
        own.dispatch(async (unit) => {
          // The commit of an earlier attempt may have succeeded although no answer to it arrived.
          if (unanswered && (await unit.isSaved(name, { state, now: at }))) return;
          unanswered = true;
          announced = [];
          await also?.(unit);
          const context = { unit, now: at, groupWait, inhibitRules, market, prediction };
          const kept: KeptAlert[] = [];
          for (const change of remaining) {
            begin(change);
            const passed = await dispatching.run(change, {
              context,
              stopped(stop, stage) {
                const reason = say(stop.reason.text, plainReader);
                log.info({ stage, reason, labels: change.labels }, 'alert held back');
                count({ outcome: 'suppressed', reason: stop.reason.code, notifier: '' });
              },
            });
            kept.push(...passed);
          }
          for (const each of await unheld(name, context))
            kept.push(...(await releasing.run(each, { context })));
          announced = kept.map(({ alert: { id, revision } }) => ({ alertId: id, revision }));
          await unit.saveState(name, { state, now: at });
        });
      const told = (await options.tellMarket?.(changes)) ?? changes;
      await persist(told, { keep, wall, log, stopping: stopping.signal });
      if (announced.length === 0) return;
      log.debug({ detector: name, alerts: revisionsOf({ rows: announced }) }, 'alerts announced');
      expanding?.wake();
    },
    serve,
    async dismiss(name) {
      const role = served.get(name);
      served.delete(name);
      names.delete(name);
      await (await role)?.stop();
      delivering.delete(name);
    },
    async stop() {
      stopping.abort(new Error('the bot is stopping'));
      const roles = [expandRole, ...(await Promise.all(served.values()))];
      await Promise.all(roles.map((each) => each.stop()));
    },
  };
}

/** Returns the function that hands announced revisions on to the outbox. */
const handingOn =
  (own: RoleStore, options: PipelineOptions) =>
  (dispatches: readonly Dispatch[]): Promise<unknown> => {
    const { now, universe = () => [] } = options;
    const context = { ...options, store: own, universe: universe(), now: now() };
    return expansion.run(dispatches, { context });
  };
