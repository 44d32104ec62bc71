import type { Clock, MarketClock, WallClock } from '../runtime/clock.ts';
import { ConfigError } from '../runtime/errors.ts';
import { second } from '../runtime/units.ts';
import type { Archive } from './archive/archive.ts';

export interface MarketTime {
  /** Until it is let run it goes no faster than the wall clock, and at its own speed from then on. */
  readonly clock: MarketClock;
  /** Market seconds that pass in a wall second now. */
  pace(): number;
  /** Lets it run: the past that is needed is loaded. */
  run(): void;
  /** Whether it has been let run. */
  readonly running: Promise<void>;
  /** Writes down where market time stopped. */
  close(): Promise<void>;
}

const keepEvery = 1 * second;
/**
 * The stored time lies this far (wall time) ahead of the clock, so that market time never runs backwards: a process
 * that is killed has told nobody of a later moment than the next start begins at.
 */
const ahead = 2 * keepEvery;

/**
 * An archive belongs to one market: rows of two would contradict each other.
 * @throws ConfigError where it was made with another
 */
export async function claimArchive(archive: Archive, market: string): Promise<void> {
  const problem = await ownerProblem(archive, market);
  if (problem !== null) throw new ConfigError([problem]);
  await archive.put('market', market);
}

/** Why the archive cannot be this market's; null: it is, or nobody's. */
export async function ownerProblem(archive: Pick<Archive, 'get'>, market: string): Promise<string | null> {
  const owner = (await archive.get('market')) ?? market;
  return owner === market
    ? null
    : `The data service's archive holds the ${String(owner)} market, not the ${market} one: ` +
        'point TOCSIN_ARCHIVE_URL at another archive, or delete this one to start over.';
}

/**
 * A made or replayed market: its time goes on where the archive says it stopped, at `start` the first time. While its past is
 * loaded it hardly goes on: what happened in the meantime nobody would have looked at, and on a slow machine that is most.
 * @param steady wall ms that never jump, unlike the machine's time of day
 */
export async function keptTime(
  archive: Archive,
  options: {
    readonly start: number;
    readonly speed: number;
    readonly steady: Clock;
    readonly wall: WallClock;
  },
): Promise<MarketTime> {
  const { start, speed, steady, wall } = options;
  const stopped = await archive.get('market-time');
  const begun = Math.min(1, speed);
  let anchor = { market: typeof stopped === 'number' ? stopped : start, wall: steady.now(), pace: begun };
  const now = () => Math.floor(anchor.market + (steady.now() - anchor.wall) * anchor.pace);
  // Reckoned at full speed, so that whoever waits looks again in time if the clock is let run meanwhile.
  const clock: MarketClock = { now, speed, wallUntil: (at) => Math.max(0, (at - now()) / speed) };
  const keep = (lead: number) => archive.put('market-time', Math.ceil(clock.now() + lead * speed));
  const running = Promise.withResolvers<void>();
  const ending = new AbortController();

  await keep(ahead);
  const keeping = (async () => {
    while (!ending.signal.aborted) {
      await wall.sleep(keepEvery, ending.signal).catch(() => {});
      // A write that fails is made good by the next: the lead covers one.
      await keep(ahead).catch(() => {});
    }
  })();

  return {
    clock,
    pace: () => anchor.pace,
    run() {
      anchor = { market: now(), wall: steady.now(), pace: speed };
      running.resolve();
    },
    running: running.promise,
    async close() {
      ending.abort();
      await keeping;
      await keep(0);
    },
  };
}
