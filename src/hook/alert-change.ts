import type { Annotations, Change, Labels } from '../alert/alert.ts';
import { type Hook, hookOfKind, kindOfHook } from '../alert/hook.ts';
import type { Expectation } from '../alert/outcome.ts';
import type { Receiver } from '../alert/subscription.ts';
import { count, marketName } from '../language/format.ts';
import { lines, msg, type Text, typed } from '../language/text.ts';
import type { PositionChange } from './action.ts';
import { directionTexts } from './seen-body.ts';
import type { HookNotice, Signal } from './signal.ts';

/** Labels of a hook's alert, which distinguish it from the hook's other alerts. */
export type OpenLabels = Labels & { readonly direction?: 'up' | 'down' };

const labelsOf = (hook: string, { identity, direction }: Signal): OpenLabels => ({
  ...identity,
  kind: kindOfHook(hook),
  ...(direction !== undefined && { direction }),
});

/**
 * Returns what a hook's alert predicts for the price: the direction of its signal, or that the price moves. An alert
 * without a tracked market predicts nothing: a full disk says nothing about bitcoin. Neither does one whose action is not an
 * entry.
 */
export function predictionOf({ kind, symbol, direction, action }: Labels): Expectation | null {
  if (hookOfKind(kind) === undefined || symbol === undefined || action !== undefined) return null;
  return direction === 'up' || direction === 'down' ? direction : 'move';
}

const changeTexts: Readonly<Record<PositionChange, Text>> = {
  reduced: msg('reduced'),
  increased: msg('increased'),
  levels: msg('stop or target changed'),
  'exit-cancelled': msg('its exit was cancelled'),
};

const noticeTexts: Readonly<Record<HookNotice, Text>> = {
  unreadable: msg('A message could not be read.'),
  'too-large': msg('A message was too large.'),
  busy: msg('Messages came faster than they are taken.'),
  full: msg('Too many messages were waiting.'),
  crowded: msg('Its alerts are too many to be shown one by one.'),
};

/** Returns the signal of a notice: one alert of the hook, which ends by itself. */
export const noticeOf = (notice: HookNotice, hook: Hook, cut = 0): Signal => ({
  ended: false,
  identity: { notice },
  notice,
  severity: hook.severity,
  title: '',
  text: '',
  facts: [],
  ...(cut > 0 && { more: { cut, unread: 0 } }),
  kept: false,
});

/**
 * Converts a signal to an alert for the hook's place.
 * @param times how often the signal has arrived
 * @param open the title of the alert that the signal changes
 */
export function firingChange(
  signal: Signal,
  {
    hook,
    times,
    at,
    open,
  }: {
    readonly hook: Hook;
    readonly times: number;
    readonly at: number;
    readonly open?: Text | undefined;
  },
): Change {
  const { title, text, facts, severity, identity, direction, change, more, notice } = signal;
  const headline =
    notice === undefined
      ? (open ?? titleOf(title === '' ? hook.name : title, identity.symbol ?? identity.ticker))
      : notice === 'crowded'
        ? msg('{hook}: too many alerts', { hook: hook.name })
        : msg('{hook}: messages were refused', { hook: hook.name });
  const fact = (name: Text, value: Text | undefined | false) =>
    value === undefined || value === false ? [] : [{ name, value }];
  return {
    status: 'firing',
    labels: labelsOf(hook.id, signal),
    severity,
    only: hook.receiver,
    annotations: {
      title: headline,
      summary:
        notice === undefined
          ? text
          : lines(
              noticeTexts[notice],
              msg('{command} shows the last bodies. This is said once an hour at most.', {
                command: typed(`hook show ${hook.id}`, `hook show id:${hook.id}`),
              }),
            ),
      facts: [
        ...fact(msg('Direction'), direction && directionTexts[direction]),
        ...fact(msg('Position'), change && changeTexts[change]),
        ...fact(
          msg('Action'),
          change === undefined &&
            identity.action !== undefined &&
            msg('{action} (not understood)', { action: identity.action }),
        ),
        ...fact(msg('Received'), times > 1 && msg('{times} times', { times: count(times) })),
        ...facts.map(({ name, value }) => ({ name, value: value === '' ? msg('missing') : value })),
        ...fact(msg('Not shown'), more !== undefined && more.cut > 0 && andMore(more.cut)),
        ...fact(msg('Not readable'), more !== undefined && more.unread > 0 && andMore(more.unread)),
        { name: msg('Hook'), value: hook.name },
      ],
      inGroup: { name: hook.name, row: headline },
      dataTime: at,
    },
  };
}

const andMore = (n: number): Text => msg('and {n, number} more', { n });

/** Puts the market before a title: `BTC: Breakout`. A title that names its market is not changed. */
function titleOf(title: string, symbol: string | undefined): Text {
  const market = symbol === undefined ? undefined : marketName(symbol);
  return market === undefined || title.toUpperCase().includes(market.toUpperCase())
    ? title
    : msg('{symbol}: {name}', { symbol: market, name: title });
}

/** Data of an open alert that its end needs. */
interface OpenHookAlert {
  readonly labels: OpenLabels;
  readonly receiver: Receiver;
  readonly severity: Signal['severity'];
  readonly title: Text;
}

/** Why and when an alert ends, market ms. `unknown`: nobody has said that it is over. */
export interface Ending extends Pick<Annotations, 'unknown'> {
  readonly why: Text;
  readonly at: number;
}

export const endingChange = (
  { labels, receiver, severity, title }: OpenHookAlert,
  { why, at, unknown }: Ending,
): Change => ({
  status: 'resolved',
  labels,
  severity,
  only: receiver,
  annotations: { title, summary: why, facts: [], dataTime: at, ...(unknown && { unknown }) },
});
