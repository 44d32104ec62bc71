import { z } from 'zod';
import { readAction } from './action.ts';
import type { BodyReading } from './fields.ts';
import { plain, plainLines } from './plain.ts';
import { labelOf, maxFacts, maxLengths, type Signal } from './signal.ts';
import { isEndWord, severityOf } from './signal-words.ts';
import { fill, isConfidential, valueAt } from './template.ts';

const texts = z.record(z.string(), z.unknown());

/**
 * An alert in the body of Prometheus Alertmanager's `webhook_configs` (version 4), which Grafana sends as well. Older versions
 * have no fingerprint; their alerts are distinguished by their labels.
 */
export const alertmanagerAlert = z.looseObject({
  status: z.string().optional().catch(undefined),
  labels: texts,
  annotations: texts.catch({}),
  fingerprint: z.string().optional().catch(undefined),
  startsAt: z.string().optional().catch(undefined),
  endsAt: z.string().optional().catch(undefined),
});
type AlertmanagerAlert = z.output<typeof alertmanagerAlert>;

/** Labels that are shown elsewhere in the card. */
const labelsShownElsewhere = new Set(['alertname', 'severity', 'symbol', 'direction']);

interface AlertmanagerReading extends BodyReading {
  /** Wall ms. */
  readonly now: number;
  /** The status of the whole body. */
  readonly status: unknown;
}

export function signalOfAlert(
  alert: AlertmanagerAlert,
  { template, severity, symbolOf, now, status }: AlertmanagerReading,
): Signal {
  const { labels, annotations } = alert;
  const readField = (field: keyof typeof template, path: string): unknown =>
    template[field] === undefined ? valueAt(alert, path) : fill(template[field], alert);
  const name = plain(readField('name', 'labels.alertname'), maxLengths.name);
  const symbolText = textOf(readField('symbol', 'labels.symbol'));
  const symbol = symbolText === '' ? undefined : symbolOf(symbolText);
  const direction = readAction([textOf(readField('direction', 'labels.direction'))])?.direction;
  const fingerprint = alert.fingerprint ?? JSON.stringify(Object.entries(labels).sort(byName));
  const startsAt = Date.parse(alert.startsAt ?? '');
  const endsAt = Date.parse(alert.endsAt ?? '');
  const state = textOf(readField('status', 'status') ?? status);
  return {
    // Prometheus itself states no status: an alert of the past is over, and 0001-01-01 is no time.
    ended: state === '' ? endsAt > 0 && endsAt <= now : isEndWord(state),
    identity: {
      ...(name !== '' && { name }),
      ...(symbol !== undefined && { symbol }),
      fingerprint: labelOf(plain(fingerprint, 20_000)),
    },
    direction,
    since: startsAt > 0 ? startsAt : undefined,
    severity: severityOf(textOf(readField('severity', 'labels.severity'))) ?? severity,
    title: plain(readField('title', 'annotations.summary') ?? annotations.title ?? name, maxLengths.title),
    text: plainLines(readField('text', 'annotations.description') ?? annotations.message, maxLengths.text),
    facts: Object.entries(labels)
      .filter(([label]) => !labelsShownElsewhere.has(label) && !isConfidential(label))
      .map(([label, value]) => ({
        name: plain(label, maxLengths.fact),
        value: plain(value, maxLengths.value),
      }))
      .filter((fact) => fact.name !== '' && fact.value !== '')
      .slice(0, maxFacts),
    kept: true,
  };
}

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number'
    ? String(value).slice(0, maxLengths.name).trim()
    : '';

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : a > b ? 1 : 0;
