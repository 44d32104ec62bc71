import type { Logger } from 'pino';
import { aborted } from '../../runtime/aborted.ts';
import type { MarketClock, WallClock } from '../../runtime/clock.ts';
import { minute } from '../../runtime/units.ts';
import { qualityRow } from '../analytics/data-quality.ts';
import type { Archive } from '../archive/archive.ts';
import { qualityAt } from '../handlers/data-quality.ts';
import type { HandlerContext } from '../handlers/handler.ts';

/** The time between two quality checks, market ms, as /data/quality/history promises. */
const qualityCadence = 5 * minute;

/** Checks the quality of the data every five market minutes, from when `after` resolves until the signal, and stores it. */
export async function keepChecking(options: {
  readonly archive: Pick<Archive, 'writeQuality'>;
  readonly contextAt: (now: number) => HandlerContext;
  readonly clock: MarketClock;
  readonly wall: WallClock;
  readonly log: Logger;
  readonly after: Promise<void>;
  readonly signal: AbortSignal;
  readonly onChecked: () => void;
}): Promise<void> {
  const { clock, wall, signal } = options;
  await Promise.race([options.after, aborted(signal)]);
  while (!signal.aborted) {
    const due = (Math.floor(clock.now() / qualityCadence) + 1) * qualityCadence;
    await wall.sleep(Math.ceil(clock.wallUntil(due)), signal).catch(() => {});
    if (signal.aborted) return;
    try {
      const quality = await qualityAt(options.contextAt(due));
      await options.archive.writeQuality(qualityRow(quality, due));
      options.onChecked();
    } catch (error) {
      options.log.error({ err: error }, 'could not check data quality; retrying at the next check');
    }
  }
}
