import type { Logger } from 'pino';
import type { Alert } from '../alert/alert.ts';
import type { InhibitRule } from '../alert/inhibit.ts';
import type { Rule } from '../alert/rule.ts';
import { msg } from '../language/text.ts';
import type { WallClock } from '../runtime/clock.ts';
import { day, minute } from '../runtime/units.ts';
import type { PastJob, PastReplay } from './job.ts';
import { keptAlerts, type PastAlerts } from './past-alerts.ts';
import {
  type KnownPreview,
  type Preview,
  type PreviewedKind,
  type PreviewWish,
  postsOf,
  previewOf,
} from './preview.ts';

export interface PreviewsOptions {
  /** Absent with a hosted data service, which offers no past: its alerts are then counted as this bot has kept them. */
  readonly past?: {
    readonly replay: PastReplay;
    readonly archiveUrl: string;
    readonly detectors: Extract<PastJob['what'], { detectors: unknown }>['detectors'];
    readonly inhibitRules: readonly InhibitRule[];
  };
  /** Latest revisions of the alerts kept, newest first. */
  readonly kept: (limit: number) => Promise<Alert[]>;
  readonly kinds: readonly PreviewedKind[];
  readonly universe: () => readonly string[];
  /** Market ms. */
  readonly now: () => number;
  readonly wall: WallClock;
  readonly log: Logger;
}

export interface Previews {
  /** What a subscription would have told. `pending` where it is not known within `patience` wall ms. */
  ofSubscription(wish: PreviewWish, patience: number): Promise<Preview>;
  /** What a rule would have told. Cancelled by the signal. */
  ofRule(rule: Rule, signal: AbortSignal): Promise<Preview>;
  close(): Promise<void>;
}

/** How far back previews look, market ms: the open interest is kept little longer. */
export const previewed = 30 * day;
/** Kept alerts looked at with a hosted service. */
const mostKept = 20_000;
/** Jobs that wait for the one that runs. */
const mostWaiting = 3;
/** Wall ms one replay may take. */
const longest = 10 * minute;

/**
 * What standard detectors would have told is the same for everyone: it is worked out once for a market day, when
 * first asked for, and each subscription is matched with it; until the next is there the one before is shown, as of
 * its time. Rules are replayed each for itself. One replay at a time, beside the bot.
 */
export function createPreviews(options: PreviewsOptions): Previews {
  const { past, kinds, universe, now, wall, log } = options;
  const closing = new AbortController();
  let standard: PastAlerts | undefined;
  let underWay: Promise<void> | undefined;
  let running: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  /** In turn. */
  function inTurn(work: PastJob['what'], signal: AbortSignal): Promise<PastAlerts> {
    if (past === undefined) throw new Error('a hosted data service has no past');
    waiting += 1;
    const job = running.then(() => {
      const to = Math.floor(now());
      const bounds = AbortSignal.any([signal, closing.signal, AbortSignal.timeout(longest)]);
      const { archiveUrl, inhibitRules } = past;
      return past.replay({ archiveUrl, inhibitRules, from: to - previewed, to, what: work }, bounds);
    });
    running = job.catch(() => {}).finally(() => (waiting -= 1));
    return job;
  }

  /** Begins to work the standard alerts out where they are a day old. */
  function refresh(detectors: Extract<PastJob['what'], { detectors: unknown }>['detectors']): void {
    if (underWay !== undefined) return;
    if (standard !== undefined && Math.abs(now() - standard.to) < day) return;
    underWay = inTurn({ detectors }, closing.signal)
      .then((alerts) => {
        standard = alerts;
      })
      .catch((error: unknown) => {
        if (!closing.signal.aborted)
          log.warn({ err: error }, 'the past could not be worked out for previews');
      })
      .finally(() => {
        underWay = undefined;
      });
  }

  const match = (wish: PreviewWish, alerts: PastAlerts, source: KnownPreview['source']): Preview =>
    previewOf(alerts, wish, { kinds, universe: universe(), source });

  return {
    async ofSubscription(wish, patience) {
      if (past === undefined) return match(wish, keptAlerts(await options.kept(mostKept), now()), 'kept');
      refresh(past.detectors);
      if (standard === undefined && underWay !== undefined) {
        const known = new AbortController();
        const waited = wall.sleep(patience, known.signal).catch(() => {});
        await Promise.race([underWay, waited]);
        known.abort();
      }
      return standard === undefined ? { state: 'pending' } : match(wish, standard, 'replayed');
    },

    async ofRule(rule, signal) {
      if (past === undefined) {
        return {
          state: 'impossible',
          why: msg(
            'A hosted data service tells only the present: what this rule would have done cannot be worked out.',
          ),
        };
      }
      if (waiting > mostWaiting) {
        return { state: 'impossible', why: msg('Others are being previewed. Ask again in a minute.') };
      }
      const { from, to, alerts } = await inTurn({ rules: [rule] }, signal);
      const told = alerts.flatMap((alert) => {
        const [first] = alert.tellings;
        return first === undefined ? [] : [{ ...first, alert }];
      });
      return {
        state: 'known',
        source: 'replayed',
        ...{ from, to, alerts: told, posts: postsOf(told, kinds), partly: [] },
      };
    },

    async close() {
      closing.abort(new Error('the bot is stopping'));
      await Promise.all([running, underWay]);
    },
  };
}
