import { z } from 'zod';
import type { Hook } from '../alert/hook.ts';
import { plain, plainLines } from './plain.ts';
import { labelOf, longest, mostFacts, type Signal } from './signal.ts';
import { fill, valueAt } from './template.ts';
import { directionOf, severityOf } from './words.ts';

const texts = z.record(z.string(), z.unknown()).default({});

/**
 * The body of Prometheus Alertmanager's `webhook_configs` (version 4), which Grafana sends as well. Older versions have
 * no fingerprint; their alerts are distinguished by their labels.
 */
export const alertmanager = z.object({
  alerts: z.array(
    z.looseObject({
      status: z.string().optional(),
      labels: texts,
      annotations: texts,
      fingerprint: z.string().optional(),
    }),
  ),
  status: z.string().optional(),
});
export type AlertmanagerBody = z.output<typeof alertmanager>;

/** Labels that are shown elsewhere in the card. */
const said = new Set(['alertname', 'severity', 'symbol', 'direction']);

export const signalsOf = (
  { alerts, status }: AlertmanagerBody,
  {
    template,
    severity,
    symbolOf,
  }: Pick<Hook, 'template' | 'severity'> & { readonly symbolOf: (text: string) => string | undefined },
): Signal[] =>
  alerts.map((alert) => {
    const { labels, annotations } = alert;
    const own = (field: keyof typeof template, usual: string): unknown =>
      template[field] === undefined ? valueAt(alert, usual) : fill(template[field], alert);
    const name = plain(own('name', 'labels.alertname'), longest.name);
    const symbol = symbolOf(plain(own('symbol', 'labels.symbol'), longest.name));
    const direction = directionOf(plain(own('direction', 'labels.direction'), longest.name));
    const fingerprint = alert.fingerprint ?? JSON.stringify(Object.entries(labels).sort(byName));
    return {
      ended: plain(own('status', 'status') ?? status, longest.name).toLowerCase() === 'resolved',
      identity: {
        ...(name !== '' && { name }),
        ...(symbol !== undefined && { symbol }),
        fingerprint: labelOf(plain(fingerprint, 20_000)),
      },
      ...(direction !== undefined && { direction }),
      severity: severityOf(plain(own('severity', 'labels.severity'), longest.name)) ?? severity,
      title: plain(own('title', 'annotations.summary') ?? annotations.title ?? name, longest.title),
      text: plainLines(own('text', 'annotations.description') ?? annotations.message, longest.text),
      facts: Object.entries(labels)
        .filter(([label]) => !said.has(label))
        .map(([label, value]) => ({
          name: plain(label, longest.fact),
          value: plain(value, longest.value),
        }))
        .filter((fact) => fact.name !== '' && fact.value !== '')
        .slice(0, mostFacts),
      kept: true,
    };
  });

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : a > b ? 1 : 0;
