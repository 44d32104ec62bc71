import type { KeptAlert } from '../store/store.ts';
import type { DispatchContext } from './record.ts';
import { pass, type Verdict } from './stage.ts';

/** Stores the revision and hands it to expansion, which finds the receivers that want it. */
export async function announce(kept: KeptAlert, { unit }: DispatchContext): Promise<Verdict<KeptAlert>> {
  await unit.save(kept);
  await unit.announce(kept);
  return pass(kept);
}
