import { dataBlind } from '../alert/alert.ts';
import type { HeldRole } from '../runtime/role.ts';
import { second } from '../runtime/units.ts';
import type { Claim, RoleStore, Settlement } from '../store/ports.ts';
import { blindKinds } from './blindness.ts';
import { defect, tries } from './defect.ts';
import { type DeliveryContext, type Outlet, revisionsOf, type SharedContext, shownKey } from './delivery.ts';
import { withNote } from './doubt.ts';
import type { PipelineOptions } from './options.ts';
import { createOutage } from './outage.ts';
import { type Queue, startQueue } from './queue.ts';
import { backoff } from './send.ts';
import { groupCommit } from './settle.ts';
import type { Stages, Stop } from './stage.ts';

/** The stages that a claim passes, from the first decision to the storing of its outcome. */
export type ClaimStages = Stages<Claim, Settlement, DeliveryContext>;

/**
 * Delivers through one outlet while this process holds the outlet's role. Each claim passes its stages, and its outcome
 * is stored before anything else is sent to the same receiver.
 */
export async function startDelivery(
  outlet: Outlet,
  stagesOf: (claim: Claim) => ClaimStages,
  options: PipelineOptions & { readonly heldRole: HeldRole },
): Promise<Queue> {
  const { store, inhibitRules, now, wall, steady, random, log, count, heldRole } = options;
  const { outbox }: RoleStore = store.under(heldRole.lease);
  const stopping = new AbortController();
  const commit = groupCommit(outbox, { wall, log, stopping: stopping.signal });
  const outage = createOutage(() => queue.wake());
  const after = (wait: number) => now() + Math.ceil(wait * (options.speed?.() ?? 1));

  const { begun } = await outbox.recover(outlet.name);
  if (begun > 0) log.warn({ begun }, 'the last run ended while posting messages; some may arrive twice');

  /**
   * The kinds of alerts that decide how other alerts are delivered. Of all firing alerts only these kinds are read,
   * because they are read again for each batch of claims.
   */
  const decisiveKinds = [dataBlind, ...inhibitRules.map(({ by }) => by.kind)];
  const context = async (): Promise<SharedContext> => {
    const firing = await store.alerts.firing(decisiveKinds);
    return {
      ...options,
      universe: options.universe ?? (() => []),
      recordOf: options.recordOf ?? (() => undefined),
      outlet,
      outage,
      after,
      lease: heldRole.lease,
      holdsRole: heldRole.isHeld,
      broaderAlerts: firing.filter(({ labels }) => labels.kind !== dataBlind),
      blind: blindKinds(firing),
      cards: new Map(),
      begin: (claim, begun) => commit({ kind: 'begun', claim, at: now(), ...begun }),
      async settle(settlement) {
        // If the outcome cannot be stored, store instead that the claim failed: otherwise the message would be sent again.
        await commit(settlement).catch((error) => commit(failedBy(error, settlement.claim, now())));
        for (const one of outcomesIn(settlement)) count({ ...one, notifier: outlet.name });
        const { claim } = settlement;
        if (isShown(settlement) && log.isLevelEnabled('debug'))
          log.debug({ ...logFieldsOf(claim), outcome: settlement.kind }, 'a message arrived');
        if (settlement.kind === 'sent' && claim.waitedFor === null)
          options.delivered?.(secondsSince(claim), {
            notifier: outlet.name,
            lane: claim.urgent ? 'urgent' : 'routine',
          });
      },
    };
  };

  const secondsSince = ({ rows, alerts }: Claim): number => {
    const news = new Set(rows.map(({ alertId }) => alertId));
    const at = Math.max(...alerts.filter(({ id }) => news.has(id)).map(({ updatedAt }) => updatedAt));
    return Number.isFinite(at) ? Math.max(0, now() - at) / (options.speed?.() ?? 1) / second : 0;
  };

  /** Returns the fields that identify a claim in log lines. */
  const logFieldsOf = (claim: Claim) => ({
    receiver: shownKey(outlet, claim.receiver),
    group: claim.group,
    alerts: revisionsOf(claim),
  });

  async function deliver(claim: Claim, context: DeliveryContext): Promise<void> {
    const stopped: { stop: Stop; stage: string }[] = [];
    try {
      await stagesOf(claim).run(claim, {
        context,
        stopped: (stop, stage) => stopped.push({ stop, stage }),
      });
    } catch (error) {
      log.error(
        { err: error, ...logFieldsOf(claim) },
        'error while preparing a message; it is retried or marked as failed',
      );
      const last = claim.attempts + 1 >= tries;
      await context.settle(last ? failedBy(error, claim, now()) : retryLater(claim, error));
    }
    for (const { stop, stage } of stopped) {
      log.debug({ stage, reason: stop.reason.code, ...logFieldsOf(claim) }, stop.verdict);
      await context.settle(stoppedSettlement(claim, { stop, at: now() }));
    }
  }

  const retryLater = (claim: Claim, error: unknown): Settlement => ({
    kind: 'retry',
    claim,
    at: now(),
    reason: defect(error),
    attempted: true,
    inDoubt: claim.postInDoubt !== null,
    until: after(backoff(claim.attempts, random)),
    holds: 'message',
  });

  const queue = startQueue(outlet, {
    outbox,
    outage,
    now,
    wall,
    steady,
    context,
    deliver,
    log,
    holdsRole: heldRole.isHeld,
    stopping: stopping.signal,
  });
  return {
    wake: queue.wake,
    async stop() {
      // Receivers that wait for a turn have claimed nothing and are dropped. Messages that are being sent are finished.
      stopping.abort(new Error('the bot is stopping'));
      await queue.stop();
    },
  };
}

const isShown = ({ kind }: Settlement): boolean => kind === 'sent' || kind === 'edited';

/**
 * Returns what became of a message, and of the alerts that were left out of it while it tells of others: the delivery log has
 * them as suppressed.
 */
function outcomesIn(
  settlement: Settlement,
): readonly Pick<Parameters<PipelineOptions['count']>[0], 'outcome' | 'reason'>[] {
  const { kind, claim } = settlement;
  const reason = 'reason' in settlement ? settlement.reason : null;
  const leftOut = isShown(settlement) ? (claim.leftOut ?? []) : [];
  return [
    { outcome: kind, reason: reason?.code ?? '' },
    ...leftOut
      .filter(({ alert }) => claim.rows.some(({ alertId }) => alertId === alert.id))
      .map((each) => ({ outcome: 'suppressed', reason: each.reason.code })),
  ];
}

const failedBy = (error: unknown, claim: Claim, at: number): Settlement => ({
  kind: claim.replaced === null ? 'failed' : 'pointed',
  claim,
  at,
  reason: defect(error),
});

const stoppedSettlement = (
  claim: Claim,
  { stop, at }: { readonly stop: Stop; readonly at: number },
): Settlement =>
  stop.verdict === 'postpone'
    ? { kind: 'postponed', claim, at, until: stop.until, group: stop.group, reason: stop.reason }
    : {
        kind: claim.replaced === null ? 'suppressed' : 'pointed',
        claim,
        at,
        reason: withNote(stop.reason, claim),
      };
