import { day, minute, second } from '../runtime/units.ts';
import type { PastJob } from './job.ts';
import type { PastAlerts } from './past-alerts.ts';
import { longestWait } from './preview.ts';
import type { PreviewsOptions } from './previews.ts';

/** Wall ms between two checks whether the past is loaded. */
const loadCheckEvery = 2 * second;
/** Wall ms between two checks whether a new replay is due. */
const refreshCheckEvery = minute;
/** Wall ms between two replays at least: with a fast market clock, a day passes in minutes. */
const minInterval = 30 * minute;

interface StandardPastOptions extends Pick<PreviewsOptions, 'now' | 'wall' | 'log'> {
  readonly archive: NonNullable<PreviewsOptions['archive']>;
  readonly replayed: (job: Omit<PastJob, 'inhibitRules'>, signal: AbortSignal) => Promise<PastAlerts>;
  readonly window: () => { readonly from: number; readonly to: number };
  readonly closing: AbortSignal;
}

/**
 * Keeps the past of the standard detectors, which is the same for everyone. It is computed as soon as the past is
 * loaded and once per market day, and stored over restarts. Until the next one is ready, the previous one is used, with
 * its own time.
 */
export function keepStandardPast({
  archive,
  replayed,
  window,
  now,
  wall,
  log,
  closing,
}: StandardPastOptions) {
  let standard: PastAlerts | undefined;
  let computedAt = Number.NEGATIVE_INFINITY;
  let underWay: Promise<void> | undefined;

  /** Starts to compute the past of the standard alerts if it is missing or a day old. */
  function refresh(): void {
    const { url, detectors } = archive;
    if (underWay !== undefined) return;
    if (
      standard !== undefined &&
      (Math.abs(now() - standard.to) < day || wall.now() - computedAt < minInterval)
    )
      return;
    underWay = replayed({ over: { archiveUrl: url }, ...window(), what: { detectors } }, closing)
      .then((alerts) => {
        standard = alerts;
        computedAt = wall.now();
        return archive.memory?.remember(alerts);
      })
      .catch((error: unknown) => {
        if (!closing.aborted) log.warn({ err: error }, 'could not compute the past for previews');
      })
      .finally(() => {
        underWay = undefined;
      });
  }

  /** Waits until the past is loaded; false if that takes too long. */
  async function loaded(): Promise<boolean> {
    for (let waited = 0; !archive.whole(); waited += loadCheckEvery) {
      if (waited >= longestWait) return false;
      await wall.sleep(loadCheckEvery, closing);
    }
    return true;
  }

  const recalled = recall().catch((error: unknown) => {
    log.warn({ err: error }, 'could not read the stored past of previews; computing it again');
  });
  async function recall(): Promise<void> {
    standard = await archive.memory?.recall();
  }
  /** Computes the past after the first start and keeps it up to date, so that it is ready when somebody asks. */
  async function keepReady(): Promise<void> {
    await recalled;
    for (;;) {
      if (archive.whole()) refresh();
      await underWay;
      await wall.sleep(archive.whole() ? refreshCheckEvery : loadCheckEvery, closing);
    }
  }
  const ready =
    archive.memory &&
    keepReady().catch((error: unknown) => {
      if (!closing.aborted)
        log.warn({ err: error }, 'stopped preparing previews; they are computed when asked for');
    });

  return {
    loaded,
    /** Returns the past as it was last computed; undefined before that. */
    known: () => standard,
    /** Returns the past as it was last computed, or waits for the first; undefined if that fails. Never rejects. */
    async first(): Promise<PastAlerts | undefined> {
      if (archive.whole()) refresh();
      if (standard === undefined) await underWay;
      return standard;
    },
    recalled,
    ended: () => Promise.all([underWay, ready]),
  };
}
