import type { Logger } from 'pino';
import type { Alert } from '../alert/alert.ts';
import { ownRule, type Rule } from '../alert/rule.ts';
import { UserError } from '../language/errors.ts';
import { msg } from '../language/text.ts';
import type { SeenPast } from '../rules/past-readings.ts';
import type { WallClock } from '../runtime/clock.ts';
import { ApiError } from '../runtime/errors.ts';
import { createPatience } from '../runtime/patience.ts';
import { second } from '../runtime/units.ts';
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
import { keepStandardPast, type PreviewArchive, type StandardPastOptions } from './standard-past.ts';

export interface PreviewsOptions
  extends Pick<StandardPastOptions, 'detectors' | 'identity' | 'settings' | 'inhibitRules' | 'slices'> {
  /** Undefined with a hosted data service: previews of subscriptions then count the alerts that this bot has stored. */
  readonly archive: PreviewArchive | undefined;
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

/**
 * Creates previews. For subscriptions, the past of the standard alerts is kept and matched with each of them. Rules are
 * replayed separately and do not wait for it, because a person waits for them.
 */
export function createPreviews(options: PreviewsOptions): Previews {
  const { archive, kinds, universe, now, wall, log } = options;
  const closing = new AbortController();
  const within = createPatience(wall, closing.signal);

  const window = () => {
    const to = Math.floor(now());
    return { from: to - previewPeriod, to };
  };
  const standard = archive && keepStandardPast({ ...options, archive, closing: closing.signal });
  const rules = createRulePasts({ ...options, window, within, closing: closing.signal });

  const match = (
    wish: PreviewWish,
    { alerts, source }: { readonly alerts: PastAlerts; readonly source: KnownPreview['source'] },
  ): KnownPreview => previewOf(alerts, { wish, kinds, universe: universe(), source });

  async function ofSubscription(wish: PreviewWish): Promise<KnownPreview> {
    if (standard === undefined)
      return match(wish, { alerts: keptAlerts(await options.kept(maxStored), now()), source: 'kept' });
    const past = await standard.known();
    if (past === undefined) throw new UserError(failed);
    return match(wish, { alerts: past, source: 'replayed' });
  }

  async function ofRule(rule: Rule): Promise<KnownPreview> {
    if (standard !== undefined && !(await standard.loaded())) throw new UserError(notYet);
    const past = await rules.of(rule);
    const announced = past.alerts.flatMap((alert) => {
      const [first] = alert.announcements;
      return first === undefined ? [] : [{ ...first, alert }];
    });
    const since = past.since[ownRule];
    if (since === undefined) throw new UserError(notKept);
    return {
      state: 'known',
      source: standard === undefined ? 'seen' : 'replayed',
      from: Math.max(past.from, since),
      to: past.to,
      alerts: announced,
      partly: [],
      selective: [],
      // Alerts of several symbols that a rule begins in one round are one post.
      posts: new Set(announced.map(({ at }) => at)).size,
    };
  }

  /** Makes sure that everyone who waits gets an answer, even after an error; but while the bot stops, nobody does. */
  async function completed(work: Promise<KnownPreview>): Promise<CompletePreview> {
    try {
      const complete = await within(longestWait, work);
      if (!closing.signal.aborted) return complete ?? { state: 'impossible', why: notYet };
    } catch (error) {
      if (!closing.signal.aborted) {
        if (error instanceof UserError) return { state: 'impossible', why: error.text };
        log.warn({ err: error }, 'could not compute a preview');
        return { state: 'impossible', why: error instanceof ApiError ? unanswered : failed };
      }
    }
    return new Promise(() => {});
  }

  return {
    async preview(what) {
      const complete = completed('rule' in what ? ofRule(what.rule) : ofSubscription(what));
      const pending = { state: 'pending', complete, days: standard?.progress() } as const;
      return (await within(quickWait, complete)) ?? pending;
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
