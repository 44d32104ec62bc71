import { type Alert, type Change, dataBlind } from '../alert/alert.ts';
import { msg } from '../language/text.ts';
import type { Store } from '../store/ports.ts';
import type { Pipeline } from './options.ts';

/** Returns the end of an alert that no detector follows any more. */
export const unwatchedEnd = ({ labels, severity, event, annotations: { dataTime } }: Alert): Change => ({
  status: 'resolved',
  labels,
  severity,
  annotations: {
    title: event.title,
    summary: msg('It is no longer watched, so whether it goes on is not known.'),
    unknown: true,
    facts: [],
    dataTime,
  },
});

/**
 * Ends the alerts of detectors that were turned off or removed. Otherwise they would say for ever that they go on, and hold
 * other alerts back. Such a detector loses its state: if it is turned on again, it begins with a new baseline.
 */
export async function endUnwatched(
  watched: readonly string[],
  {
    store,
    pipeline,
  }: { readonly store: Pick<Store, 'alerts'>; readonly pipeline: Pick<Pipeline, 'dispatch'> },
): Promise<void> {
  const unwatched = (await store.alerts.firing())
    .filter(({ labels: { kind } }) => kind !== dataBlind && !watched.includes(kind))
    // An alert that is held back began after the one that holds it. It ends before that one, which would release it.
    .sort((a, b) => b.startsAt - a.startsAt);
  for (const alert of unwatched) {
    const changes = [unwatchedEnd(alert)];
    await pipeline.dispatch({ name: alert.labels.kind, groupWait: 0 }, { state: null, changes });
  }
}
