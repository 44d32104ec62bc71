import { z } from 'zod';
import type { Hook } from '../alert/hook.ts';
import { plain, plainLines } from './plain.ts';
import { labelOf, maxFacts, maxLengths, type Signal } from './signal.ts';
import { directionOf, severityOf } from './signal-words.ts';
import { fill, valueAt } from './template.ts';

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
const labelsShownElsewhere = new Set(['alertname', 'severity', 'symbol', 'direction']);

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
    const readField = (field: keyof typeof template, usual: string): unknown =>
      template[field] === undefined ? valueAt(alert, usual) : fill(template[field], alert);
    const name = plain(readField('name', 'labels.alertname'), maxLengths.name);
    const symbol = symbolOf(plain(readField('symbol', 'labels.symbol'), maxLengths.name));
    const direction = directionOf(plain(readField('direction', 'labels.direction'), maxLengths.name));
    const fingerprint = alert.fingerprint ?? JSON.stringify(Object.entries(labels).sort(byName));
    return {
      ended: plain(readField('status', 'status') ?? status, maxLengths.name).toLowerCase() === 'resolved',
      identity: {
        ...(name !== '' && { name }),
        ...(symbol !== undefined && { symbol }),
        fingerprint: labelOf(plain(fingerprint, 20_000)),
      },
      ...(direction !== undefined && { direction }),
      severity: severityOf(plain(readField('severity', 'labels.severity'), maxLengths.name)) ?? severity,
      title: plain(readField('title', 'annotations.summary') ?? annotations.title ?? name, maxLengths.title),
      text: plainLines(readField('text', 'annotations.description') ?? annotations.message, maxLengths.text),
      facts: Object.entries(labels)
        .filter(([label]) => !labelsShownElsewhere.has(label))
        .map(([label, value]) => ({
          name: plain(label, maxLengths.fact),
          value: plain(value, maxLengths.value),
        }))
        .filter((fact) => fact.name !== '' && fact.value !== '')
        .slice(0, maxFacts),
      kept: true,
    };
  });

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : a > b ? 1 : 0;
