import type { Change, Labels } from '../alert/alert.ts';
import { type Hook, hookOfKind, kindOfHook } from '../alert/hook.ts';
import type { Expectation } from '../alert/outcome.ts';
import type { Receiver } from '../alert/subscription.ts';
import { count, marketName } from '../language/format.ts';
import { msg, msgIn, type Text } from '../language/text.ts';
import type { Signal } from './signal.ts';

/** Labels of a hook's alert, which distinguish it from the hook's other alerts. */
export type OpenLabels = Labels & { readonly direction?: 'up' | 'down' };

export const labelsOf = (hook: string, { identity, direction }: Signal): OpenLabels => ({
  ...identity,
  kind: kindOfHook(hook),
  ...(direction !== undefined && { direction }),
});

/**
 * Returns what a hook's alert predicts for the price: the direction of its signal, or that the price moves. An alert
 * without a tracked market predicts nothing: a full disk says nothing about bitcoin.
 */
export function claimOf({ kind, symbol, direction }: Labels): Expectation | null {
  if (hookOfKind(kind) === undefined || symbol === undefined) return null;
  return direction === 'up' || direction === 'down' ? direction : 'move';
}

/**
 * Converts a signal to an alert for the hook's place.
 * @param times how often the signal has arrived
 */
export function firingChange(
  { title, text, facts, severity, identity, direction, ...signal }: Signal,
  { hook, times, at }: { readonly hook: Hook; readonly times: number; readonly at: number },
): Change {
  const headline = titleOf(title === '' ? hook.name : title, identity.symbol);
  return {
    status: 'firing',
    labels: labelsOf(hook.id, { ...signal, title, text, facts, severity, identity, direction }),
    severity,
    only: hook.receiver,
    annotations: {
      title: headline,
      summary: text,
      facts: [
        ...(direction === undefined
          ? []
          : [
              {
                name: msg('Direction'),
                value: direction === 'up' ? msgIn('direction', 'long') : msgIn('direction', 'short'),
              },
            ]),
        ...(times > 1
          ? [{ name: msg('Received'), value: msg('{times} times', { times: count(times) }) }]
          : []),
        ...facts,
        { name: msg('Hook'), value: hook.name },
      ],
      inGroup: { name: hook.name, row: headline },
      dataTime: at,
    },
  };
}

/** Puts the market before a title: `BTC: Breakout`. A title that names its market is not changed. */
function titleOf(title: string, symbol: string | undefined): Text {
  const market = symbol === undefined ? undefined : marketName(symbol);
  return market === undefined || title.toUpperCase().includes(market)
    ? title
    : msg('{symbol}: {name}', { symbol: market, name: title });
}

/** Data of an open alert that its end needs. */
export interface OpenHookAlert {
  readonly labels: OpenLabels;
  readonly receiver: Receiver;
  readonly severity: Signal['severity'];
  readonly title: Text;
}

export const endingChange = (
  { labels, receiver, severity, title }: OpenHookAlert,
  { why, at }: { readonly why: Text; readonly at: number },
): Change => ({
  status: 'resolved',
  labels,
  severity,
  only: receiver,
  annotations: { title, summary: why, facts: [], dataTime: at },
});
