import type { Logger } from 'pino';
import type { Alert } from '../alert/alert.ts';
import type { InhibitRule } from '../alert/inhibit.ts';
import { ownRule, type Rule } from '../alert/rule.ts';
import { msg, type Text } from '../language/text.ts';
import type { SeenPast } from '../rules/seen.ts';
import type { WallClock } from '../runtime/clock.ts';
import { ApiError } from '../runtime/errors.ts';
import { day, hour, minute, second } from '../runtime/units.ts';
import type { PastJob, PastReplay } from './job.ts';
import { keptAlerts, type PastAlerts } from './past-alerts.ts';
import {
  type CompletePreview,
  type KnownPreview,
  longestWait,
  type Preview,
  type PreviewedKind,
  type PreviewWish,
  previewed,
  previewOf,
} from './preview.ts';

export interface PreviewsOptions {
  readonly replay: PastReplay;
  readonly inhibitRules: readonly InhibitRule[];
  /** Absent with a hosted data service: its alerts are then counted as this bot has kept them. */
  readonly archive?: {
    readonly url: string;
    /** The past is all there: of a part of it less would have been told. */
    readonly whole: () => boolean;
    readonly detectors: Extract<PastJob['what'], { detectors: unknown }>['detectors'];
    /** Over restarts: where it is given, the past is worked out before anyone asks. */
    readonly memory?: {
      /** What was worked out last; undefined where that is nothing, or was of other settings. */
      readonly recall: () => Promise<PastAlerts | undefined>;
      readonly remember: (past: PastAlerts) => Promise<void>;
    };
  };
  /** What is known of a rule's past where there is no archive. */
  readonly seen: (
    rule: Rule,
    window: { readonly from: number; readonly to: number },
    signal: AbortSignal,
  ) => Promise<SeenPast | 'many' | undefined>;
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
  /** What a subscription or a rule would have told: at once, be it that it is pending. Never rejects. */
  preview(what: PreviewWish | { readonly rule: Rule }): Promise<Preview>;
  /** The past of the standard alerts as it was worked out last; undefined until it is. */
  past(): PastAlerts | undefined;
  close(): Promise<void>;
}

/** Wall ms in which a preview that is known, or soon will be, is awaited. */
const atOnce = second / 2;
/** Wall ms between two looks whether the past is loaded. */
const look = 2 * second;
/** Wall ms between two looks whether a new past is due. */
const renew = minute;
/** Kept alerts looked at with a hosted service. */
const mostKept = 20_000;
/** Rules that wait for the one that is replayed. */
const mostWaiting = 3;
/** Rules whose past is remembered for who asks again. */
const mostKnown = 20;
/** Wall ms a rule's replay may take. */
const longestRule = 2 * minute;
/** Wall ms one replay may take: thirty days of 100 symbols are a quarter of an hour of one core. */
const longest = 45 * minute;
/** Wall ms between two replays of the standard alerts: of a fast market a day is over in minutes. */
const rest = 30 * minute;

/**
 * What standard detectors would have told is the same for everyone: it is worked out as soon as the past is loaded and
 * once for a market day, kept over restarts, and each subscription is matched with it; until the next is there the one
 * before is shown, as of its time. Rules are replayed each for itself, one at a time, and need not wait for the standard alerts: a person
 * waits for them. All of it is done in threads beside the bot, at most two.
 */
export function createPreviews(options: PreviewsOptions): Previews {
  const { archive, kinds, universe, now, wall, log } = options;
  const closing = new AbortController();
  let standard: PastAlerts | undefined;
  let worked = Number.NEGATIVE_INFINITY;
  let underWay: Promise<void> | undefined;
  let lastRule: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  const ruleJobs = new Map<string, { readonly begun: number; readonly past: ReturnType<typeof lived> }>();

  const replayed = (job: Omit<PastJob, 'inhibitRules'>, signal: AbortSignal): Promise<PastAlerts> => {
    const bounds = AbortSignal.any([signal, closing.signal, AbortSignal.timeout(longest)]);
    return options.replay({ ...job, inhibitRules: options.inhibitRules }, bounds);
  };
  const window = () => {
    const to = Math.floor(now());
    return { from: to - previewed, to };
  };

  async function lived(rule: Rule, signal: AbortSignal): Promise<PastAlerts | { readonly why: Text }> {
    const { from, to } = window();
    const what = { rules: [rule] };
    if (archive !== undefined) return replayed({ over: { archiveUrl: archive.url }, from, to, what }, signal);
    const known = await options.seen(rule, { from, to }, signal);
    if (known === 'many') return { why: tooMany };
    if (known === undefined || to - known.since < hour) return { why: notSeen };
    return replayed(
      { over: { seen: known.seen, universe: universe() }, from: known.since, to, what },
      signal,
    );
  }

  /** After those before it. */
  function inTurn(rule: Rule): ReturnType<typeof lived> {
    waiting += 1;
    const job = lastRule.then(async () => {
      const ended = new AbortController();
      const signal = AbortSignal.any([ended.signal, closing.signal]);
      const past = await within(longestRule, lived(rule, signal)).finally(() => ended.abort());
      return past ?? { why: tooLong };
    });
    lastRule = job.catch(() => {}).finally(() => (waiting -= 1));
    return job;
  }

  /** The one that was begun not long ago, or a new one; undefined where too many wait. */
  function jobOf(rule: Rule): ReturnType<typeof lived> | undefined {
    const { condition, clear, symbols, hold, mode } = rule;
    const key = JSON.stringify([condition, clear, symbols, hold, mode]);
    const known = ruleJobs.get(key);
    if (known !== undefined && wall.now() - known.begun < rest) return known.past;
    if (waiting > mostWaiting) return undefined;
    const past = inTurn(rule);
    const forget = () => ruleJobs.delete(key);
    past.then((result) => 'why' in result && forget(), forget);
    if (ruleJobs.size >= mostKnown) ruleJobs.delete(ruleJobs.keys().next().value ?? '');
    ruleJobs.set(key, { begun: wall.now(), past });
    return past;
  }

  /** Begins to work the standard alerts out where they are a day old. */
  function refresh({ url, detectors }: NonNullable<PreviewsOptions['archive']>): void {
    if (underWay !== undefined) return;
    if (standard !== undefined && (Math.abs(now() - standard.to) < day || wall.now() - worked < rest)) return;
    underWay = replayed({ over: { archiveUrl: url }, ...window(), what: { detectors } }, closing.signal)
      .then((alerts) => {
        standard = alerts;
        worked = wall.now();
        return archive?.memory?.remember(alerts);
      })
      .catch((error: unknown) => {
        if (!closing.signal.aborted) log.warn({ err: error }, 'could not compute the past for previews');
      })
      .finally(() => {
        underWay = undefined;
      });
  }

  const match = (wish: PreviewWish, alerts: PastAlerts, source: KnownPreview['source']): KnownPreview =>
    previewOf(alerts, wish, { kinds, universe: universe(), source });

  /** The past is there; false where that takes too long. */
  async function loaded({ whole }: NonNullable<PreviewsOptions['archive']>): Promise<boolean> {
    for (let waited = 0; !whole(); waited += look) {
      if (waited >= longestWait) return false;
      await wall.sleep(look, closing.signal);
    }
    return true;
  }

  async function ofSubscription(wish: PreviewWish): Promise<CompletePreview> {
    if (archive === undefined) return match(wish, keptAlerts(await options.kept(mostKept), now()), 'kept');
    await recalled;
    if (standard === undefined && !(await loaded(archive))) return { state: 'impossible', why: notYet };
    if (archive.whole()) refresh(archive);
    if (standard === undefined) await underWay;
    return standard === undefined ? { state: 'impossible', why: failed } : match(wish, standard, 'replayed');
  }

  async function ofRule(rule: Rule): Promise<CompletePreview> {
    if (archive !== undefined && !(await loaded(archive))) return { state: 'impossible', why: notYet };
    const job = jobOf(rule);
    if (job === undefined) return { state: 'impossible', why: busy };
    const past = await job;
    if ('why' in past) return { state: 'impossible', why: past.why };
    const told = past.alerts.flatMap((alert) => {
      const [first] = alert.tellings;
      return first === undefined ? [] : [{ ...first, alert }];
    });
    const since = past.since[ownRule];
    if (since === undefined) return { state: 'impossible', why: notKept };
    const from = Math.max(past.from, since);
    const { to } = past;
    const source = archive === undefined ? 'seen' : 'replayed';
    return {
      ...{ state: 'known', source, from, to, alerts: told, partly: [] },
      // What it begins to tell of several symbols in one round is one post.
      posts: new Set(told.map(({ at }) => at)).size,
    };
  }

  /** Undefined where it takes longer. */
  async function within<Result>(patience: number, work: Promise<Result>): Promise<Result | undefined> {
    const known = new AbortController();
    const waited = wall.sleep(patience, AbortSignal.any([known.signal, closing.signal])).then(
      () => undefined,
      () => undefined,
    );
    try {
      return await Promise.race([work, waited]);
    } finally {
      known.abort();
    }
  }

  /** Whoever waits is told, whatever comes of it; but nobody while the bot stops. */
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

  const recalled = recall().catch((error: unknown) => {
    log.warn({ err: error }, 'could not read the stored past of previews; computing it again');
  });
  async function recall(): Promise<void> {
    standard = await archive?.memory?.recall();
  }
  /** Behind the first start, and from then on: whoever asks finds it there. */
  async function keepReady(given: NonNullable<PreviewsOptions['archive']>): Promise<void> {
    await recalled;
    for (;;) {
      if (given.whole()) refresh(given);
      await underWay;
      await wall.sleep(given.whole() ? renew : look, closing.signal);
    }
  }
  const ready =
    archive?.memory &&
    keepReady(archive).catch((error: unknown) => {
      if (!closing.signal.aborted)
        log.warn({ err: error }, 'stopped preparing previews; they are computed when asked for');
    });

  return {
    past: () => standard,
    async preview(what) {
      const complete = completed('rule' in what ? ofRule(what.rule) : ofSubscription(what));
      return (await within(atOnce, complete)) ?? { state: 'pending', complete };
    },

    async close() {
      closing.abort(new Error('the bot is stopping'));
      await Promise.all([lastRule, underWay, ready]);
    },
  };
}

const notSeen = msg(
  'No preview yet: a hosted data service has no history of this, and the bot has recorded it for less than an hour.',
);
const tooMany = msg(
  'Too many markets for a preview with a hosted data service: preview it for a few of them.',
);
const notKept = msg('No preview: this data is not kept for long enough.');
const tooLong = msg('No preview: checking this rule over the past takes too long.');
const notYet = msg('Checking the past takes longer than usual: ask again in a few minutes.');
const failed = msg('The past could not be checked: ask again in a few minutes.');
const unanswered = msg(
  'The past could not be checked, because the data service did not answer: ask again in a few minutes.',
);
const busy = msg('Other previews are running: ask again in a minute.');
