import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type Change, severities } from '../alert/alert.ts';
import type { Hook } from '../alert/hook.ts';
import type { Receiver } from '../alert/subscription.ts';
import { span } from '../language/format.ts';
import { msg, type Text } from '../language/text.ts';
import { day, hour } from '../runtime/units.ts';
import { endingChange, firingChange, type OpenLabels } from './alert-change.ts';
import type { Received } from './inbox.ts';
import type { Signal } from './signal.ts';

/**
 * How long an alert stays open without a repetition if its hook has no setting: a day if its sender also sends the end,
 * otherwise an hour.
 */
const keptLifetime = day;
const defaultLifetime = hour;
/** Open alerts of one hook; bounds what a sender can create. */
const maxOpen = 200;

const openSignal = z.object({
  hook: z.string(),
  receiver: z.custom<Receiver>((value) => typeof value === 'object' && value !== null),
  labels: z.custom<OpenLabels>((value) => typeof value === 'object' && value !== null),
  severity: z.enum(severities),
  title: z.custom<Text>(),
  /** Hash of the alert's text. */
  words: z.string(),
  times: z.int(),
  /** Market ms at which the alert ends unless it is repeated. */
  until: z.number(),
});
type OpenSignal = z.output<typeof openSignal>;

const messageId = z.object({ hook: z.string(), key: z.string(), at: z.number() });

/** The open alerts by identity. `handled` are the messages from which this state was made; they no longer wait. */
export const hookState = z.object({
  handled: z.array(messageId).default([]),
  open: z.record(z.string(), openSignal).default({}),
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
): { readonly state: HookState; readonly changes: readonly Change[] } {
  const open = new Map(Object.entries(state.open));
  const changes = new Map<string, Change[]>();
  const add = (identity: string, change: Change) => {
    const own = changes.get(identity) ?? [];
    const last = own.at(-1);
    // Of several changes at once only the last is kept, because each revision would be a separate edit.
    if (last !== undefined && last.status !== 'resolved' && change.status === 'firing') own.pop();
    changes.set(identity, [...own, change]);
  };
  const endAlert = (identity: string, why: Text) => {
    const known = open.get(identity);
    if (known === undefined) return;
    open.delete(identity);
    add(identity, endingChange(known, { why, at: now }));
  };
  const handleSignal = (signal: Signal, { hook, at }: { readonly hook: Hook; readonly at: number }) => {
    const identity = identityOf(hook.id, signal);
    if (signal.ended) return endAlert(identity, msg('Its sender says it is over.'));
    const before = open.get(identity);
    const isReversed = signal.direction !== undefined && before?.labels.direction !== signal.direction;
    if (before !== undefined && isReversed) endAlert(identity, msg('The signal turned the other way.'));
    const continued = isReversed ? undefined : before;
    const until = now + (hook.lasts ?? (signal.kept ? keptLifetime : defaultLifetime));
    const contentHash = contentHashOf(signal);
    if (continued !== undefined && signal.kept && continued.words === contentHash) {
      open.set(identity, { ...continued, until });
      return;
    }
    const times = (continued?.times ?? 0) + 1;
    const directedSignal = { ...signal, ...(continued !== undefined && directionOf(continued)) };
    const change = firingChange(directedSignal, { hook, times, at });
    if (continued === undefined) makeRoom(open, { hook: hook.id, end: endAlert });
    add(identity, change);
    const { labels, severity, annotations } = change;
    const { title } = annotations;
    // Moved to the end, so that the first alert is the one without a repetition for the longest time.
    open.delete(identity);
    open.set(identity, {
      hook: hook.id,
      receiver: hook.receiver,
      labels,
      severity,
      title,
      words: contentHash,
      times: signal.kept ? 1 : times,
      until,
    });
  };
  for (const { hook: id, signals, market } of received) {
    const hook = hooks.get(id);
    if (hook !== undefined) for (const signal of signals) handleSignal(signal, { hook, at: market });
  }
  for (const [identity, { hook, until }] of open) {
    const lasts = hooks.get(hook)?.lasts ?? null;
    if (!hooks.has(hook)) endAlert(identity, msg('Its hook was deleted.'));
    else if (until <= now)
      endAlert(
        identity,
        lasts === null
          ? msg('It was not repeated.')
          : msg('It was not repeated for {length}.', { length: span(lasts) }),
      );
  }
  const handled = received.map(({ hook, key, at }) => ({ hook, key, at }));
  return {
    state: { handled, open: Object.fromEntries(open) },
    changes: assignBursts([...changes.values()].flat(), now),
  };
}

const identityOf = (hook: string, { identity }: Signal): string =>
  `${hook} ${hashOf(Object.entries(identity).sort(([a], [b]) => (a < b ? -1 : 1)))}`;

const contentHashOf = ({ severity, title, text, facts }: Signal): string =>
  hashOf([severity, title, text, facts]);

const hashOf = (of: unknown): string =>
  createHash('sha256').update(JSON.stringify(of)).digest('hex').slice(0, 16);

/** A repetition without a direction keeps the direction of its alert. */
const directionOf = ({ labels: { direction } }: OpenSignal) => (direction === undefined ? {} : { direction });

/**
 * Ends the hook's alert that has gone without a repetition for the longest time if the hook has the maximum of open
 * alerts.
 */
function makeRoom(
  open: ReadonlyMap<string, OpenSignal>,
  { hook, end }: { readonly hook: string; readonly end: (identity: string, why: Text) => void },
): void {
  const own = [...open].filter(([, each]) => each.hook === hook);
  const [oldest] = own;
  if (own.length >= maxOpen && oldest !== undefined)
    end(oldest[0], msg('It made room: a hook keeps {most, number} alerts open.', { most: maxOpen }));
}

/** Groups the alerts that one hook begins at the same time into one post; a single alert is posted at once. */
function assignBursts(changes: readonly Change[], now: number): readonly Change[] {
  const firingByKind = Map.groupBy(
    changes.filter(({ status }) => status === 'firing'),
    ({ labels }) => labels.kind,
  );
  return changes.map((change) => {
    const { kind } = change.labels;
    const isBurst = (firingByKind.get(kind)?.length ?? 0) > 1;
    return { ...change, burst: isBurst ? `${kind}-${now.toString(36)}` : null };
  });
}
