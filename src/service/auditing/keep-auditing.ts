import type { Logger } from 'pino';
import { aborted } from '../../runtime/aborted.ts';
import type { MarketClock, WallClock } from '../../runtime/clock.ts';
import { minute, second } from '../../runtime/units.ts';
import type { Archive } from '../archive/archive.ts';
import type { PrimaryCollecting } from '../collecting/primary.ts';
import type { MarketSource } from '../handlers/handler.ts';
import type { Bodies } from '../http/bodies.ts';
import { askBodies } from './ask-bodies.ts';
import { otherAudited, primaryAudited } from './audited-venue.ts';
import { sample } from './sample.ts';

export interface AuditSettings {
  /** Market ms between two rounds. */
  readonly every: number;
  /** How many symbols are checked in a round; 0: nothing is audited. */
  readonly symbols: number;
}

const usualAudit: AuditSettings = { every: 10 * minute, symbols: 3 };

/** The least wall ms between two rounds when the market runs faster than real time. */
const leastPause = 30 * second;
/** Seed of the sample: with another seed, other symbols come first. */
const seed = 14;

/** Checks a sample of the published values round after round and stores the results, from `after` on until the signal. */
export async function keepAuditing(options: {
  /** Absent: three symbols every ten minutes. */
  readonly settings: AuditSettings | undefined;
  readonly archive: Pick<Archive, 'writeAudits' | 'liquidations' | 'get' | 'last'>;
  readonly bodies: Pick<Bodies, 'get'>;
  readonly source: MarketSource;
  readonly venues: Pick<PrimaryCollecting, 'beside' | 'exchanges' | 'universe'>;
  readonly clock: MarketClock;
  readonly wall: WallClock;
  readonly log: Logger;
  readonly after: Promise<void>;
  readonly signal: AbortSignal;
  readonly onAudited: () => void;
}): Promise<void> {
  const { settings = usualAudit, archive, source, venues, clock, wall, log, signal } = options;
  const ask = askBodies(options.bodies);
  if (settings.symbols === 0) return;
  await Promise.race([options.after, aborted(signal)]);
  // Loaded after the start of the service, which does not need it.
  const { createAuditor } = await import('./round.ts');
  // Two auditors, so that neither is blocked by questions of the other that hang.
  const [primary, elsewhere] = [createAuditor({ wall, log, signal }), createAuditor({ wall, log, signal })];
  const least = Math.min(settings.every, leastPause);
  const length = Math.max(settings.every, least * clock.speed);
  // Rounds start with a delay of a quarter of their length, because collectors send requests at whole five minutes.
  const quarter = length / 4;
  for (;;) {
    if (signal.aborted) return;
    try {
      await round();
    } catch (error) {
      log.error({ err: error }, 'could not audit what is published; retrying at the next round');
    }
    const due = (Math.floor((clock.now() - quarter) / length) + 1) * length + quarter;
    await wall.sleep(Math.max(least / 2, clock.wallUntil(due)), signal).catch(() => {});
  }

  async function round(): Promise<void> {
    const exchanges = venues.exchanges();
    if (exchanges === undefined) return;
    const time = Math.floor(clock.now());
    const round = Math.floor(time / length);
    const asking = {
      time,
      symbols: sample(venues.universe(), { count: settings.symbols, round, seed }),
      ask,
      archive,
      now: () => Math.floor(clock.now()),
      // The time that collecting/universe.ts, too, allows a response to be under way before it reports a wrong clock.
      transit: 2 * second * clock.speed,
    };
    const others = venues.beside();
    // The other venues take turns, one per round.
    const other = others[round % others.length];
    const rows = await Promise.all([
      primary.audit({ ...asking, of: primaryAudited(source, exchanges), role: 'PRIMARY' }),
      other === undefined
        ? []
        : elsewhere.audit({ ...asking, of: otherAudited(source, other), role: 'SECOND' }),
    ]);
    if (signal.aborted) return;
    await archive.writeAudits(rows.flat());
    options.onAudited();
  }
}
