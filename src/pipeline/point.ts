import { pointerCard } from '../card/alert-card.ts';
import { sayCard } from '../card/say-card.ts';
import { msg } from '../language/text.ts';
import type { Claim } from '../store/ports.ts';
import type { DeliveryContext, Rendered } from './delivery.ts';
import { hashOf } from './merge.ts';
import { pass, suppress, type Verdict } from './stage.ts';

/**
 * Turns a message that a newer one has replaced into one line that links to the newer message, whatever has happened to
 * its alerts since.
 */
export function point(claim: Claim, { outlet, source }: DeliveryContext): Verdict<Rendered> {
  const { post, replaced, alerts, receiver, reader } = claim;
  if (post === undefined || replaced === null || alerts.length === 0) {
    return suppress({ code: 'not_kept', text: msg('no longer kept') });
  }
  const url = outlet.connection.link?.(post.reference, receiver.address);
  const id = hashOf([claim.key, claim.group, 'replaced', replaced]);
  return pass({
    claim,
    notifying: [],
    act: 'edit',
    unknown: false,
    notification: {
      id,
      version: id,
      card: sayCard(pointerCard(alerts, { source: source(), url }), reader),
      loud: false,
      doubt: false,
      onlyEdit: true,
    },
  });
}
