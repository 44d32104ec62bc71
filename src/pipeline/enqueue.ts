import { dataBlind } from '../alert/alert.ts';
import type { Routed } from '../store/ports.ts';
import type { ExpansionContext, RoutedPage } from './route.ts';
import { pass, type Verdict } from './stage.ts';

/**
 * Puts a page of receivers into the outbox and moves the cursor, in one transaction. After a crash expansion resumes
 * behind the last complete page.
 */
export async function enqueue(
  { page, routed }: RoutedPage,
  { store, now }: ExpansionContext,
): Promise<Verdict<RoutedPage>> {
  for (const { dispatch } of routed) {
    if (dispatch.alert.labels.kind !== dataBlind || page.next !== null) continue;
    // This happens before the dispatch is deleted: after a crash it starts again, and a row that is already there is
    // not doubled.
    let after: string | null = '';
    while (after !== null)
      after = await store.expansion.enqueueOwnEdits({ ...blindnessChangeOf(dispatch), after }, now);
  }
  const withBlindnessChanges = routed.map((each) =>
    each.dispatch.alert.labels.kind === dataBlind
      ? { ...each, blindnessChange: { ...blindnessChangeOf(each.dispatch), among: page.subscriptions } }
      : each,
  );
  await store.expansion.enqueue(withBlindnessChanges, { next: page.next, now });
  return pass({ page, routed });
}

const blindnessChangeOf = ({ alert: { labels, status } }: Routed['dispatch']) => ({
  kind: labels.detector ?? '',
  blind: status !== 'resolved',
});
