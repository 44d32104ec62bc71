import type { Change, Labels } from '../alert/alert.ts';
import { type Hook, hookOfKind, kindOfHook } from '../alert/hook.ts';
import type { Expectation } from '../alert/outcome.ts';
import type { Receiver } from '../alert/subscription.ts';
import { count, marketName } from '../language/format.ts';
import { msg, msgIn, type Text } from '../language/text.ts';
import type { Signal } from './signal.ts';

/** What tells one alert of a hook from another, as its labels say it. */
export type OpenLabels = Labels & { readonly direction?: 'up' | 'down' };

export const labelsOf = (hook: string, { identity, direction }: Signal): OpenLabels => ({
  ...identity,
  kind: kindOfHook(hook),
  ...(direction !== undefined && { direction }),
});

/**
 * What a hook's alert says of the price: the way that its signal said, or else that it moves. One without a tracked market is
 * judged by none: a full disk says nothing of bitcoin.
 */
export function claimOf({ kind, symbol, direction }: Labels): Expectation | null {
  if (hookOfKind(kind) === undefined || symbol === undefined) return null;
  return direction === 'up' || direction === 'down' ? direction : 'move';
}

/** A signal as an alert of the hook's place. @param times how often it has come */
export function firing(
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

/** `BTC: Breakout`; nothing is put before a title that names its market itself. */
function titleOf(title: string, symbol: string | undefined): Text {
  const market = symbol === undefined ? undefined : marketName(symbol);
  return market === undefined || title.toUpperCase().includes(market)
    ? title
    : msg('{symbol}: {name}', { symbol: market, name: title });
}

/** What is known of an alert that goes on, for its end. */
export interface Known {
  readonly labels: OpenLabels;
  readonly receiver: Receiver;
  readonly severity: Signal['severity'];
  readonly title: Text;
}

export const ending = (
  { labels, receiver, severity, title }: Known,
  { why, at }: { readonly why: Text; readonly at: number },
): Change => ({
  status: 'resolved',
  labels,
  severity,
  only: receiver,
  annotations: { title, summary: why, facts: [], dataTime: at },
});
