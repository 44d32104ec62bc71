import { dataBlind } from '../alert/alert.ts';
import type { Routed } from '../store/store.ts';
import type { ExpansionContext, RoutedPage } from './route.ts';
import { pass, type Verdict } from './stage.ts';

/** Into the outbox, together with the cursor: a crash resumes behind the last page that is whole. */
export async function enqueue(
  { page, routed }: RoutedPage,
  { store, now }: ExpansionContext,
): Promise<Verdict<RoutedPage>> {
  for (const { dispatch } of routed) {
    if (dispatch.alert.labels.kind !== dataBlind || page.next !== null) continue;
    // Before the dispatch is done with: a crash begins them anew, and none is there twice.
    let after: string | null = '';
    while (after !== null) after = await store.expansion.turnOwn({ ...turnOf(dispatch), after }, now);
  }
  const turned = routed.map((each) =>
    each.dispatch.alert.labels.kind === dataBlind
      ? { ...each, turned: { ...turnOf(each.dispatch), among: page.subscriptions } }
      : each,
  );
  await store.expansion.enqueue(turned, { next: page.next, now });
  return pass({ page, routed });
}

const turnOf = ({ alert: { labels, status } }: Routed['dispatch']) => ({
  kind: labels.detector ?? '',
  blind: status !== 'resolved',
});
