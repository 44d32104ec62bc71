import type { Logger } from 'pino';
import { z } from 'zod';
import { type Clock, type MarketClock, realTime, type WallClock } from '../runtime/clock.ts';
import { type Loop, startLoop } from '../runtime/loop.ts';
import { second } from '../runtime/units.ts';
import type { Archive } from './archive/archive.ts';
import type { AnswerSource } from './handlers/handler.ts';
import type { Present } from './present.ts';
import type { Venue } from './venues/venue.ts';

/**
 * Wall ms between two writes of the collecting service, and between two reads of a follower. Without a new write for longer
 * than this, the follower's simulated market time stops. So no follower is ahead of the service that takes over, which begins
 * at least a second later (market-time.ts).
 */
const every = second;

/** The document of the archive in which the collecting service writes its state for its followers. */
const document = 'standing';
const standing = z.object({
  /** Identifies the writing service. Another service counts its `changes` from the beginning. */
  life: z.int(),
  /** Market ms. `pace` is the number of market seconds in a wall second. */
  market: z.int(),
  pace: z.number(),
  /** Names of the venues, the primary one first. */
  venues: z.array(z.string()),
  universe: z.array(z.string()),
  progress: z.number(),
  ready: z.boolean(),
  /** How often each source has changed. */
  changes: z.record(z.string(), z.int()),
});
type Standing = z.output<typeof standing>;

interface Timing {
  readonly archive: Pick<Archive, 'get' | 'put'>;
  readonly wall: WallClock;
  readonly log: Logger;
}

/**
 * Writes the present for followers, until it is stopped.
 * @param life identifies this service; higher with each service that takes over
 */
export function keepTelling(
  present: Present,
  {
    life,
    changes,
    archive,
    wall,
    log,
  }: Timing & { readonly life: number; readonly changes: ReadonlyMap<AnswerSource, number> },
): Loop {
  const tell = async () => {
    const told: Standing = {
      life,
      market: Math.floor(present.clock.now()),
      pace: present.pace(),
      venues: present.asked().map(({ name }) => name),
      universe: [...present.universe()],
      progress: present.progress(),
      ready: present.ready(),
      changes: Object.fromEntries(changes),
    };
    await archive.put(document, told);
    return every;
  };
  return startLoop(tell, {
    wall,
    onError: (error) => log.warn({ err: error }, 'could not tell other data services what was collected'),
  });
}

export interface Following extends Present {
  stop(): Promise<void>;
}

/** Follows the present as another process writes it. Until that process has written something, the present is empty. */
export async function follow({
  live,
  speed,
  venues,
  steady,
  archive,
  wall,
  log,
  changed,
  onReady,
}: Timing & {
  /** Whether the market is live; market time is then wall time. */
  readonly live: boolean;
  readonly speed: number;
  /** All venues that the written state may name. */
  readonly venues: readonly Venue[];
  readonly steady: Clock;
  changed(source: AnswerSource): void;
  onReady(): void;
}): Promise<Following> {
  let told: Standing | undefined;
  // The document that is found first may be the last one of a service that no longer exists.
  let heard = false;
  let ready = false;
  let heardAt = steady.now();
  let latest = 0;
  let asked: readonly Venue[] = [];

  const look = async () => {
    const next = standing.optional().parse((await archive.get(document)) ?? undefined);
    if (next === undefined) return every;
    // While a service that has taken over loads its data, the previous state stays in use.
    if (ready && !next.ready) return every;
    const before = told;
    if (before !== undefined && (next.life !== before.life || next.market !== before.market)) {
      heard = true;
      heardAt = steady.now();
    }
    told = next;
    asked = next.venues.flatMap((name) => venues.find((venue) => venue.name === name) ?? []);
    const counted = next.life === before?.life ? before.changes : {};
    for (const [source, times] of Object.entries(next.changes))
      if (times !== counted[source]) changed(source as AnswerSource);
    ready = heard && next.ready;
    if (ready) onReady();
    return every;
  };
  const made: MarketClock = {
    speed,
    now() {
      const since = Math.min(every, steady.now() - heardAt);
      latest = Math.max(latest, Math.floor((told?.market ?? 0) + since * (told?.pace ?? 0)));
      return latest;
    },
    wallUntil: (at) => Math.max(0, (at - made.now()) / speed),
  };
  const onError = (error: unknown) =>
    log.warn({ err: error }, 'could not see what another data service collects');
  await look().catch(onError);
  const loop = startLoop(look, { wall, onError });
  return {
    clock: live ? realTime(wall) : made,
    pace: () => told?.pace ?? speed,
    asked: () => asked,
    universe: () => told?.universe ?? [],
    progress: () => told?.progress ?? 0,
    ready: () => ready,
    stop: () => loop.stop(),
  };
}
