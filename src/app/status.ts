import type { Client } from '../client/create-client.ts';
import { aheadOfClock } from '../client/data-time.ts';
import type { Meta } from '../client/meta.ts';
import { maxAhead } from '../runtime/clock.ts';
import { second } from '../runtime/units.ts';
import type { BotStatus } from '../shell/command.ts';
import { type Core, sourceOf } from './core.ts';
import type { Senders } from './platforms.ts';
import type { Watching } from './watching.ts';

export interface StatusSources {
  readonly core: Pick<Core, 'client' | 'meta' | 'store' | 'steady'>;
  readonly senders: { readonly readiness: Pick<Senders['readiness'], 'refusals'> };
  readonly watching: {
    readonly watch: Pick<Watching['watch'], 'status'>;
    readonly canary: Pick<Watching['canary'], 'read'>;
  };
  /** Steady ms. */
  readonly startedAt: number;
  readonly clockAhead: () => number;
}

/** Reads everything that the bot knows about itself. While the data service is silent, the age of its feeds keeps growing. */
export async function readStatus({
  core,
  senders,
  watching,
  startedAt,
  clockAhead,
}: StatusSources): Promise<BotStatus> {
  const { client, meta, store, steady } = core;
  const market = meta.market();
  const now = market.now();
  const lastMeta = meta.last();
  const pause = client.lastPause();
  const isLoading = lastMeta?.ready === false;
  // It says so itself that it is not ready: only its silence would be a problem.
  const isPaused = pause !== undefined && pause.left > 0 && !(isLoading && pause.reason === 'not_ready');
  // While a pause lasts nothing is asked, so that the silence that counts begins when it ends.
  const silence = Math.min(meta.silentFor(), pause === undefined ? Number.POSITIVE_INFINITY : -pause.left);
  const isResponding = !isPaused && silence < 3 * Math.max(2 * second, meta.interval());
  const silentFor =
    (isLoading && isResponding ? null : client.unresponsiveFor()) ??
    (isPaused || !(lastMeta === undefined || isResponding) ? meta.silentFor() : null);
  return {
    ...sourceOf(meta),
    ...(lastMeta?.liquidations !== undefined && { liquidations: lastMeta.liquidations }),
    marketTime: now,
    ready: lastMeta?.ready ?? meta.source() !== 'loading',
    ...(lastMeta !== undefined && lastMeta.backfill < 1 && { loaded: lastMeta.backfill }),
    ...(silentFor !== null && {
      away: {
        ...(Number.isFinite(silentFor) && { since: now - silentFor * market.speed }),
        ...(isPaused && { pause }),
      },
    }),
    feeds: [
      ...serviceFeeds(lastMeta, { now, speed: market.speed, heard: isResponding && silentFor === null }),
      ...(isLoading ? [] : endpointsInTrouble(client, now)),
    ],
    budget: client.budget(),
    outbox: await store.outbox.backlog(),
    refused: [...senders.readiness.refusals].map(([platform, reason]) => ({ platform, reason })),
    paused: await store.sending.paused(),
    detectors: watching.watch.status(),
    canary: await watching.canary.read(),
    uptime: Math.floor(steady.now() - startedAt),
    ...(clockAhead() !== 0 && { clockAhead: clockAhead() }),
  };
}

const serviceFeeds = (
  lastMeta: ReturnType<Meta['last']>,
  {
    now,
    speed,
    heard: isResponding,
  }: { readonly now: number; readonly speed: number; readonly heard: boolean },
): BotStatus['feeds'] =>
  (lastMeta?.feeds ?? []).map(({ name, source, lastUpdate, fresh, problem: reported }) => {
    const age = lastUpdate === undefined ? undefined : now - Date.parse(lastUpdate);
    const isAhead = age !== undefined && age < -maxAhead(speed);
    const problem = isAhead ? aheadOfClock : reported;
    return {
      // A feed whose source differs from that of the service names it, for example one that is synthesised around a recording.
      name: source === lastMeta?.source ? name : `${name} (${source})`,
      // What the service reports about its feeds counts only while it responds, and only as far as time explains it.
      fresh: fresh && isResponding && !isAhead,
      ...(age !== undefined && !isAhead && { age: Math.max(0, age) }),
      ...(problem !== undefined && { problem: { message: problem } }),
    };
  });

/** Returns the endpoints that do not respond, with the age of their last data. */
const endpointsInTrouble = (client: Client, now: number): BotStatus['feeds'] =>
  client.feeds().flatMap(({ endpoint, problem, lastSuccess, dataTime }) => {
    if (problem === undefined || problem.reason === 'not_offered') return [];
    const newestAt = dataTime ?? lastSuccess;
    return [
      {
        name: endpoint,
        fresh: false,
        problem: { message: problem.message, reason: problem.reason },
        ...(newestAt !== undefined && { age: Math.max(0, now - newestAt) }),
      },
    ];
  });
