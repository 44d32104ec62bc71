import type { Logger } from 'pino';
import type { Alert } from '../alert/alert.ts';
import type { InhibitRule } from '../alert/inhibit.ts';
import { ownRule, type Rule } from '../alert/rule.ts';
import { msg } from '../language/text.ts';
import type { SeenPast } from '../rules/past-readings.ts';
import type { WallClock } from '../runtime/clock.ts';
import { ApiError } from '../runtime/errors.ts';
import { createPatience } from '../runtime/patience.ts';
import { minute, second } from '../runtime/units.ts';
import type { PastJob, PastReplay } from './job.ts';
import { keptAlerts, type PastAlerts } from './past-alerts.ts';
import {
  type CompletePreview,
  type KnownPreview,
  longestWait,
  type Preview,
  type PreviewedKind,
  type PreviewWish,
  previewOf,
  previewPeriod,
} from './preview.ts';
import { createRulePasts } from './rule-pasts.ts';
import { keepStandardPast } from './standard-past.ts';

export interface PreviewsOptions {
  readonly replay: PastReplay;
  readonly inhibitRules: readonly InhibitRule[];
  /** Absent with a hosted data service: previews of subscriptions then count the alerts that this bot has stored. */
  readonly archive?: {
    readonly url: string;
    /** Returns whether the whole past is loaded; a replay over a part of it would find fewer alerts. */
    readonly whole: () => boolean;
    readonly detectors: Extract<PastJob['what'], { detectors: unknown }>['detectors'];
    /** Storage over restarts. If it is given, the past is computed before anyone asks. */
    readonly memory?: {
      /** Returns the stored past; undefined if there is none, or it was computed with other settings. */
      readonly recall: () => Promise<PastAlerts | undefined>;
      readonly remember: (past: PastAlerts) => Promise<void>;
    };
  };
  /** Returns what is known of a rule's past without an archive. */
  readonly seen: (
    rule: Rule,
    given: { readonly window: { readonly from: number; readonly to: number }; readonly signal: AbortSignal },
  ) => Promise<SeenPast | 'many' | undefined>;
  /** Returns the latest revisions of the stored alerts, newest first. */
  readonly kept: (limit: number) => Promise<Alert[]>;
  readonly kinds: readonly PreviewedKind[];
  readonly universe: () => readonly string[];
  /** Market ms. */
  readonly now: () => number;
  readonly wall: WallClock;
  readonly log: Logger;
}

export interface Previews {
  /**
   * Returns the alerts that a subscription or a rule would have sent. Resolves quickly, if necessary with the state
   * `pending`. Never rejects.
   */
  preview(what: PreviewWish | { readonly rule: Rule }): Promise<Preview>;
  close(): Promise<void>;
}

/** How long a preview is awaited before `pending` is returned, wall ms. */
const quickWait = second / 2;
/** How many stored alerts are read with a hosted data service. */
const maxStored = 20_000;
/** How long one replay may take, wall ms: thirty days of 100 symbols take a quarter of an hour on one core. */
const longestReplay = 45 * minute;

/**
 * Creates previews. For subscriptions, the past of the standard alerts is computed once and matched with each of them.
 * Rules are replayed separately and do not wait for it, because a person waits for them. All this runs in processes
 * beside the bot, at most two at a time.
 */
export function createPreviews(options: PreviewsOptions): Previews {
  const { archive, kinds, universe, now, wall, log } = options;
  const closing = new AbortController();
  const within = createPatience(wall, closing.signal);

  const replayed = (job: Omit<PastJob, 'inhibitRules'>, signal: AbortSignal): Promise<PastAlerts> => {
    const bounds = AbortSignal.any([signal, closing.signal, AbortSignal.timeout(longestReplay)]);
    return options.replay({ ...job, inhibitRules: options.inhibitRules }, bounds);
  };
  const window = () => {
    const to = Math.floor(now());
    return { from: to - previewPeriod, to };
  };
  const replayOptions = { replayed, window, wall, closing: closing.signal };
  const standard = archive && keepStandardPast({ ...replayOptions, archive, now, log });
  const rules = createRulePasts({
    ...replayOptions,
    archive,
    universe,
    within,
    seen: options.seen,
  });

  const match = (
    wish: PreviewWish,
    { alerts, source }: { readonly alerts: PastAlerts; readonly source: KnownPreview['source'] },
  ): KnownPreview => previewOf(alerts, { wish, kinds, universe: universe(), source });

  async function ofSubscription(wish: PreviewWish): Promise<CompletePreview> {
    if (standard === undefined)
      return match(wish, { alerts: keptAlerts(await options.kept(maxStored), now()), source: 'kept' });
    await standard.recalled;
    if (standard.known() === undefined && !(await standard.loaded()))
      return { state: 'impossible', why: notYet };
    const past = await standard.first();
    return past === undefined
      ? { state: 'impossible', why: failed }
      : match(wish, { alerts: past, source: 'replayed' });
  }

  async function ofRule(rule: Rule): Promise<CompletePreview> {
    if (standard !== undefined && !(await standard.loaded())) return { state: 'impossible', why: notYet };
    const job = rules.of(rule);
    if (job === undefined) return { state: 'impossible', why: busy };
    const past = await job;
    if ('why' in past) return { state: 'impossible', why: past.why };
    const announced = past.alerts.flatMap((alert) => {
      const [first] = alert.announcements;
      return first === undefined ? [] : [{ ...first, alert }];
    });
    const since = past.since[ownRule];
    if (since === undefined) return { state: 'impossible', why: notKept };
    const from = Math.max(past.from, since);
    const { to } = past;
    const source = standard === undefined ? 'seen' : 'replayed';
    return {
      state: 'known',
      source,
      from,
      to,
      alerts: announced,
      partly: [],
      selective: [],
      // Alerts of several symbols that a rule begins in one round are one post.
      posts: new Set(announced.map(({ at }) => at)).size,
    };
  }

  /** Makes sure that everyone who waits gets an answer, even after an error; but while the bot stops, nobody does. */
  async function completed(work: Promise<CompletePreview>): Promise<CompletePreview> {
    try {
      const complete = await within(longestWait, work);
      if (!closing.signal.aborted) return complete ?? { state: 'impossible', why: notYet };
    } catch (error) {
      if (!closing.signal.aborted) {
        log.warn({ err: error }, 'could not compute a preview');
        return { state: 'impossible', why: error instanceof ApiError ? unanswered : failed };
      }
    }
    return new Promise(() => {});
  }

  return {
    async preview(what) {
      const complete = completed('rule' in what ? ofRule(what.rule) : ofSubscription(what));
      return (await within(quickWait, complete)) ?? { state: 'pending', complete };
    },

    async close() {
      closing.abort(new Error('the bot is stopping'));
      await Promise.all([rules.ended(), standard?.ended()]);
    },
  };
}

const notKept = msg('No preview: this data is not kept for long enough.');
const notYet = msg('Checking the past takes longer than usual: ask again in a few minutes.');
const failed = msg('The past could not be checked: ask again in a few minutes.');
const unanswered = msg(
  'The past could not be checked, because the data service did not answer: ask again in a few minutes.',
);
const busy = msg('Other previews are running: ask again in a minute.');
