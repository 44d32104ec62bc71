import type { KeptAlert } from '../store/ports.ts';
import type { DispatchContext } from './revise.ts';
import { pass, type Verdict } from './stage.ts';

/**
 * Stores the revision and hands it to expansion, which finds the receivers that want it. It is due now at the earliest: its
 * group may have been due long ago, and whoever asks how long messages have waited must not be told of that.
 */
export async function announce(
  { due, ...rest }: KeptAlert,
  { unit, now }: DispatchContext,
): Promise<Verdict<KeptAlert>> {
  const kept: KeptAlert = { ...rest, due: Math.max(due, now) };
  await unit.save(kept);
  await unit.announce(kept);
  return pass(kept);
}
