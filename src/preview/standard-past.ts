import { day, minute, second } from '../runtime/units.ts';
import type { PastJob } from './job.ts';
import type { PastAlerts } from './past-alerts.ts';
import { longestWait } from './preview.ts';
import type { PreviewsOptions } from './previews.ts';

/** Wall ms between two looks whether the past is loaded. */
const look = 2 * second;
/** Wall ms between two looks whether a new past is due. */
const renew = minute;
/** Wall ms between two replays: of a fast market a day is over in minutes. */
const rest = 30 * minute;

interface StandardPastOptions extends Pick<PreviewsOptions, 'now' | 'wall' | 'log'> {
  readonly archive: NonNullable<PreviewsOptions['archive']>;
  readonly replayed: (job: Omit<PastJob, 'inhibitRules'>, signal: AbortSignal) => Promise<PastAlerts>;
  readonly window: () => { readonly from: number; readonly to: number };
  readonly closing: AbortSignal;
}

/**
 * What the standard detectors would have told, the same for everyone: worked out as soon as the past is loaded and once
 * for a market day, and kept over restarts. Until the next is there the one before is shown, as of its time.
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
  let worked = Number.NEGATIVE_INFINITY;
  let underWay: Promise<void> | undefined;

  /** Begins to work the standard alerts out where they are a day old. */
  function refresh(): void {
    const { url, detectors } = archive;
    if (underWay !== undefined) return;
    if (standard !== undefined && (Math.abs(now() - standard.to) < day || wall.now() - worked < rest)) return;
    underWay = replayed({ over: { archiveUrl: url }, ...window(), what: { detectors } }, closing)
      .then((alerts) => {
        standard = alerts;
        worked = wall.now();
        return archive.memory?.remember(alerts);
      })
      .catch((error: unknown) => {
        if (!closing.aborted) log.warn({ err: error }, 'could not compute the past for previews');
      })
      .finally(() => {
        underWay = undefined;
      });
  }

  /** The past is there; false where that takes too long. */
  async function loaded(): Promise<boolean> {
    for (let waited = 0; !archive.whole(); waited += look) {
      if (waited >= longestWait) return false;
      await wall.sleep(look, closing);
    }
    return true;
  }

  const recalled = recall().catch((error: unknown) => {
    log.warn({ err: error }, 'could not read the stored past of previews; computing it again');
  });
  async function recall(): Promise<void> {
    standard = await archive.memory?.recall();
  }
  /** Behind the first start, and from then on: whoever asks finds it there. */
  async function keepReady(): Promise<void> {
    await recalled;
    for (;;) {
      if (archive.whole()) refresh();
      await underWay;
      await wall.sleep(archive.whole() ? renew : look, closing);
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
    /** As it was worked out last; undefined until it is. */
    known: () => standard,
    /** As it was worked out last, or the first once it is; undefined where that fails. Never rejects. */
    async first(): Promise<PastAlerts | undefined> {
      if (archive.whole()) refresh();
      if (standard === undefined) await underWay;
      return standard;
    },
    recalled,
    ended: () => Promise.all([underWay, ready]),
  };
}
