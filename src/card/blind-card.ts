import { type Alert, dataBlind } from '../alert/alert.ts';
import { labelTitle } from '../language/format.ts';
import { lines, listOf, msg } from '../language/text.ts';
import { type AlertCardOptions, alertState, byRank, durationText, lateLine } from './alert-state.ts';
import type { Card } from './card.ts';

/** Returns the card about a trouble of the data. It is grey, because nothing has happened in the market, and green at the end. */
export function blindCard(alerts: readonly Alert[], options: AlertCardOptions): Card {
  const latest = [...Map.groupBy(alerts, ({ fingerprint }) => fingerprint).values()]
    .flatMap((episodes) => episodes.toSorted((a, b) => b.startsAt - a.startsAt).slice(0, 1))
    .toSorted(byRank);
  const open = latest.filter(({ status }) => status !== 'resolved');
  const [first] = open.length > 0 ? open : latest;
  const { status, source } = alertState(latest, options);
  return {
    title:
      open.length > 1
        ? msg('{n, number} kinds of alerts paused: no data', { n: open.length })
        : status === 'resolved'
          ? msg('Data is back: {kinds}', {
              kinds: listOf(latest.map(({ labels }) => labelTitle(labels.detector ?? labels.kind))),
            })
          : (first?.annotations.title ?? ''),
    summary: lines(first?.end?.summary ?? first?.annotations.summary, lateLine(options)),
    ...(open.length === 0 && status !== undefined && { status }),
    source,
    ...(latest.length > 1 && {
      table: {
        columns: [msg('Alert'), msg('Status')],
        rows: latest.map((alert) => [
          alert.annotations.inGroup?.row ?? alert.annotations.title,
          alert.status === 'resolved'
            ? msg('back after {after}', { after: durationText(alert) })
            : msg('paused'),
        ]),
      },
    }),
    actions: [
      { label: msg('Status'), command: 'status' },
      { label: msg('Silence ▸'), command: `silence ${dataBlind}` },
    ],
    dataTime: Math.min(...latest.map(({ annotations }) => annotations.dataTime)),
  };
}
