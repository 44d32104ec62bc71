import { msg } from '../language/text.ts';
import type { DeliveryContext, Rendered } from './delivery.ts';
import { pass, postpone, type Verdict } from './stage.ts';

/** Waits for its turn at the platform's pace, and only then begins: what merely waited was not posted. */
export async function throttle(
  rendered: Rendered,
  { outlet, stopping, now, begin }: DeliveryContext,
): Promise<Verdict<Rendered>> {
  const { claim, act } = rendered;
  const lane = act === 'edit' ? 'edit' : claim.urgent ? 'urgent' : 'routine';
  const { address } = claim.receiver;
  const place = outlet.sharedBy?.(address, act === 'edit' ? 'edit' : 'post') ?? claim.key;
  try {
    await outlet.pace.take(place, lane, stopping);
  } catch {
    return postpone(now(), { code: 'stopped', text: msg('the bot was stopped') });
  }
  return (await begin(claim, act)) ? pass(rendered) : pass();
}
