import type { DeliveryContext, Rendered } from './delivery.ts';
import { pass, postpone, type Verdict } from './stage.ts';

/** Waits for its turn at the platform's pace. */
export async function throttle(
  rendered: Rendered,
  { outlet, stopping, now }: DeliveryContext,
): Promise<Verdict<Rendered>> {
  try {
    await outlet.pace.take(rendered.claim.key, stopping);
  } catch {
    return postpone(now(), 'the bot was stopped');
  }
  return pass(rendered);
}
