import { type ExpansionContext, type Routed, urgent } from './route.ts';
import { pass, type Verdict } from './stage.ts';

/** Into the outbox, together with the cursor: a crash resumes behind the last page that is whole. */
export async function enqueue(routed: Routed, { store, now }: ExpansionContext): Promise<Verdict<Routed>> {
  const { dispatch, page, destinations } = routed;
  await store.expansion.enqueue(dispatch, destinations, {
    next: page.next,
    urgent: urgent(dispatch.alert),
    now,
  });
  return pass(routed);
}
