import type { KeptAlert } from '../store/store.ts';
import type { DispatchContext } from './record.ts';
import { pass, type Verdict } from './stage.ts';

/** Hands the revision to expansion. */
export async function announce(kept: KeptAlert, { unit }: DispatchContext): Promise<Verdict<KeptAlert>> {
  await unit.save(kept);
  await unit.announce(kept);
  return pass(kept);
}
