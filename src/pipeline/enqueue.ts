import { dataBlind } from '../alert/alert.ts';
import { type ExpansionContext, type Routed, urgent } from './route.ts';
import { pass, type Verdict } from './stage.ts';

/** Into the outbox, together with the cursor: a crash resumes behind the last page that is whole. */
export async function enqueue(routed: Routed, { store, now }: ExpansionContext): Promise<Verdict<Routed>> {
  const { dispatch, page, destinations } = routed;
  const { status, labels } = dispatch.alert;
  const turned = { kind: labels.detector ?? '', blind: status !== 'resolved' };
  if (labels.kind === dataBlind && page.next === null) {
    // Before the dispatch is done with: a crash begins them anew, and none is there twice.
    let after: string | null = '';
    while (after !== null) after = await store.expansion.turnOwn({ ...turned, after }, now);
  }
  await store.expansion.enqueue(dispatch, destinations, {
    next: page.next,
    urgent: urgent(dispatch.alert),
    now,
    ...(labels.kind === dataBlind && {
      turned: { ...turned, among: page.subscriptions },
    }),
  });
  return pass(routed);
}
