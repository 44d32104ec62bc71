import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type Change, type Labels, severities } from '../alert/alert.ts';
import type { HookEntry } from '../alert/call.ts';
import type { Hook } from '../alert/hook.ts';
import { withBursts } from '../alert/post-group.ts';
import type { Receiver } from '../alert/subscription.ts';
import { span } from '../language/format.ts';
import { msg, type Text } from '../language/text.ts';
import { maxAhead } from '../runtime/clock.ts';
import { day, hour } from '../runtime/units.ts';
import {
  type Ending,
  endingChange,
  firingChange,
  noticeOf,
  type OpenLabels,
  predictionOf,
} from './alert-change.ts';
import type { Received } from './inbox.ts';
import type { Signal, SignalDirection } from './signal.ts';

/**
 * How long an alert stays open without a repetition if its hook has no setting: a day if its sender also sends the end, a
 * week if that is the end of a position, otherwise an hour.
 */
const longestLifetime = 7 * day;
const lifetimeOf = ({ kept, endSaidFor }: Signal): number =>
  endSaidFor === 'position' ? longestLifetime : kept || endSaidFor === 'status' ? day : hour;
/** Open alerts of one hook; bounds what a sender can create. Of more, only how many they are is said. */
export const maxOpen = 1_000;
/** How long, and for how many alerts, it is known that they ended: what is about them and comes later is late. */
const endKnown = day;
const maxEnds = 2_000;

const openSignal = z.object({
  hook: z.string(),
  receiver: z.custom<Receiver>((value) => typeof value === 'object' && value !== null),
  labels: z.custom<OpenLabels>((value) => typeof value === 'object' && value !== null),
  severity: z.enum(severities),
  title: z.custom<Text>(),
  /** Hash of the alert's text. */
  words: z.string(),
  times: z.int(),
  since: z.number().optional(),
  /** Market ms at which the alert ends unless it is repeated. */
  until: z.number(),
});
type OpenSignal = z.output<typeof openSignal>;

const messageId = z.object({ hook: z.string(), key: z.string(), at: z.number() });

/** When an alert ended, market ms, and when it had begun by its sender's clock. */
const end = z.object({ at: z.number(), since: z.number().optional() });

/** The open alerts by identity, and those that ended not long ago. `handled` are the messages from which this state was made; they no longer wait. */
export const hookState = z.object({
  handled: z.array(messageId).default([]),
  open: z.record(z.string(), openSignal).default({}),
  ends: z.record(z.string(), end).default({}),
});
export type HookState = z.output<typeof hookState>;

/**
 * Computes the next state from the open alerts and new messages: a signal begins an alert, and its repetition continues
 * the alert; the alert ends by a signal of its end, by its time, or when its hook is deleted. The function is pure: the
 * new state names the messages that were handled.
 * @param hooks the hooks of the messages and of the open alerts; a missing hook has been deleted
 * @param now market ms
 */
export function stepHooks(
  state: HookState,
  {
    received,
    hooks,
    now,
  }: {
    readonly received: readonly Received[];
    readonly hooks: ReadonlyMap<string, Hook>;
    readonly now: number;
  },
): {
  readonly state: HookState;
  readonly changes: readonly Change[];
  readonly entries: readonly HookEntry[];
} {
  const alerts = createOpenAlerts(state.open, now);
  const ends = new Map(Object.entries(state.ends).filter(([, { at }]) => at <= now && at > now - endKnown));
  const entries: HookEntry[] = [];
  /** How many alerts of each hook did not begin because it has too many. */
  const left = new Map<string, number>();
  const endBySender = (identity: string, why: Text, since?: number | undefined) => {
    alerts.end(identity, { why });
    ends.delete(identity);
    ends.set(identity, { at: now, since });
  };
  const handleSignal = (given: Signal, { hook, at, heard }: Heard & { readonly hook: Hook }) => {
    const { direction } = given;
    const since = knownSince(given.since, heard);
    const found = identityOf(hook.id, given);
    const known = alerts.get(found);
    const isOther = known !== undefined && isOpposite(direction, known.labels.direction);
    if (isLate(since, knownSince(known?.since, heard))) return;
    if (given.ended) {
      const why = given.isCancelled ? msg('Its sender cancelled it.') : msg('Its sender says it is over.');
      if (!isOther) endBySender(found, why, since);
      return;
    }
    // A second node of the sender that still says what another has ended.
    if (
      known === undefined &&
      since !== undefined &&
      since <= (knownSince(ends.get(found)?.since, heard) ?? Number.NEGATIVE_INFINITY)
    )
      return;
    const isChange = given.change !== undefined && known !== undefined && !isOther;
    if (given.change !== undefined && !isChange && ends.has(found)) return;
    const signal = given.change === undefined || isChange ? given : withoutPosition(given);
    const identity = identityOf(hook.id, signal);
    const before = alerts.get(identity);
    const isReversed =
      signal.direction !== undefined && before !== undefined && before.labels.direction !== signal.direction;
    if (isReversed && !isChange) endBySender(identity, msg('The signal turned the other way.'));
    const continued = isReversed && !isChange ? undefined : before;
    const until = now + (hook.lasts ?? lifetimeOf(signal));
    if (before === undefined && signal.notice === undefined && alerts.isFull(hook.id)) {
      left.set(hook.id, (left.get(hook.id) ?? 0) + 1);
      return;
    }
    const contentHash = contentHashOf(signal);
    if (continued !== undefined && signal.kept && continued.words === contentHash) {
      alerts.keep(identity, { ...continued, until, since: since ?? continued.since });
      return;
    }
    const times = (continued?.times ?? 0) + (isChange ? 0 : 1);
    const change = firingChange(continued === undefined ? signal : withDirection(signal, continued), {
      hook,
      times: isChange ? 1 : times,
      at,
      open: isChange ? continued?.title : undefined,
    });
    const { labels, severity, annotations } = change;
    if (continued === undefined) entries.push(...entryOf(signal, { hook, labels, at }));
    alerts.keep(identity, {
      hook: hook.id,
      receiver: hook.receiver,
      labels,
      severity,
      title: annotations.title,
      words: contentHash,
      times: signal.kept ? 1 : times,
      until: Math.max(until, continued?.until ?? 0),
      since,
      change,
    });
  };
  // What a clock that was ahead has written lasts from now on.
  for (const [identity, each] of alerts.all()) {
    const latest = now + (hooks.get(each.hook)?.lasts ?? longestLifetime);
    if (each.until > latest) alerts.keep(identity, { ...each, until: latest });
  }
  for (const { hook: id, signals, market, at: heard } of received) {
    const hook = hooks.get(id);
    const at = Math.min(market, now);
    if (hook !== undefined) for (const signal of signals) handleSignal(signal, { hook, at, heard });
  }
  for (const [id, cut] of left) {
    const hook = hooks.get(id);
    if (hook !== undefined)
      handleSignal(noticeOf('crowded', hook, cut), { hook, at: now, heard: Number.POSITIVE_INFINITY });
  }
  for (const [identity, { hook, until }] of alerts.all()) {
    const lasts = hooks.get(hook)?.lasts ?? null;
    if (!hooks.has(hook)) alerts.end(identity, { why: msg('Its hook was deleted.'), unknown: true });
    else if (until <= now)
      alerts.end(identity, {
        why:
          lasts === null
            ? msg('It was not repeated.')
            : msg('It was not repeated for {length}.', { length: span(lasts) }),
        unknown: true,
      });
  }
  const handled = received.map(({ hook, key, at }) => ({ hook, key, at }));
  return {
    state: {
      handled,
      open: Object.fromEntries(alerts.all()),
      ends: Object.fromEntries([...ends].slice(-maxEnds)),
    },
    changes: withBursts(alerts.changes(), now, ({ labels }) => labels.kind),
    entries,
  };
}

function entryOf(
  { change }: Signal,
  { hook, labels, at }: { readonly hook: Hook; readonly labels: Labels; readonly at: number },
): readonly HookEntry[] {
  const prediction = predictionOf(labels);
  const isCall =
    hook.calls !== null && change === undefined && (prediction === 'up' || prediction === 'down');
  if (!isCall || labels.symbol === undefined) return [];
  return [{ hook: hook.id, symbol: labels.symbol, side: prediction === 'up' ? 'long' : 'short', at }];
}

/** The open alerts by identity, and what has become of them since. */
function createOpenAlerts(before: HookState['open'], now: number) {
  const open = new Map(Object.entries(before));
  const counts = new Map<string, number>();
  const count = ({ hook, labels }: OpenSignal, by: number) =>
    labels.notice === undefined && counts.set(hook, (counts.get(hook) ?? 0) + by);
  for (const each of open.values()) count(each, 1);
  const changes = new Map<string, Change[]>();
  const add = (identity: string, change: Change) => {
    const own = changes.getOrInsertComputed(identity, () => []);
    const last = own.at(-1);
    // Of several changes at once only the last is kept, because each revision would be a separate edit.
    if (last !== undefined && last.status !== 'resolved' && change.status === 'firing') own.pop();
    own.push(change);
  };
  return {
    get: (identity: string) => open.get(identity),
    all: () => [...open],
    changes: () => [...changes.values()].flat(),
    isFull: (hook: string) => (counts.get(hook) ?? 0) >= maxOpen,
    /** @param why `unknown`: nobody has said that it is over */
    end(identity: string, why: Pick<Ending, 'why' | 'unknown'>) {
      const known = open.get(identity);
      if (known === undefined) return;
      open.delete(identity);
      count(known, -1);
      add(identity, endingChange(known, { ...why, at: now }));
    },
    keep(identity: string, { change, ...alert }: OpenSignal & { readonly change?: Change }) {
      if (!open.has(identity)) count(alert, 1);
      open.set(identity, alert);
      if (change !== undefined) add(identity, change);
    },
  };
}

const identityOf = (hook: string, { identity }: Signal): string =>
  `${hook} ${hashOf(Object.entries(identity).sort(([a], [b]) => (a < b ? -1 : 1)))}`;

const contentHashOf = ({ severity, title, text, facts, change, more }: Signal): string =>
  hashOf([severity, title, text, facts, change, more]);

const isOpposite = (one: SignalDirection | undefined, other: SignalDirection | undefined): boolean =>
  one !== undefined && other !== undefined && one !== other;

/** When a message came: market ms, and `heard`, wall ms. */
interface Heard {
  readonly at: number;
  readonly heard: number;
}

/** Returns when an occurrence began by its sender's clock; undefined where that lies ahead, and would make all that follows late. */
const knownSince = (since: number | undefined, heard: number): number | undefined =>
  since !== undefined && since <= heard + maxAhead(1) ? since : undefined;

/** Returns whether a signal is about an occurrence before the one that is known. */
const isLate = (since: number | undefined, known: number | undefined): boolean =>
  since !== undefined && known !== undefined && since < known;

/**
 * A change of a position of which nothing is known: it is shown, but announces no direction unless the position grows, and is no
 * repetition of anything.
 */
function withoutPosition(signal: Signal): Signal {
  if (signal.change === 'increased') return signal;
  const { direction: _, endSaidFor: __, ...shown } = signal;
  return { ...shown, identity: { ...signal.identity, action: signal.change ?? '' } };
}

const hashOf = (of: unknown): string =>
  createHash('sha256').update(JSON.stringify(of)).digest('hex').slice(0, 16);

/** What goes on keeps the direction of its alert, which is one of its labels. */
const withDirection = ({ direction: _, ...signal }: Signal, { labels: { direction } }: OpenSignal): Signal =>
  direction === undefined ? signal : { ...signal, direction };
