import { inhibitor } from '../alert/inhibit.ts';
import type { KeptAlert } from '../store/store.ts';
import type { DispatchContext } from './record.ts';
import { pass, type Verdict } from './stage.ts';

/** Hands the revision to expansion, and with the end of a broader alert everything it held back. */
export async function announce(kept: KeptAlert, context: DispatchContext): Promise<Verdict<KeptAlert>> {
  const { unit, inhibitRules } = context;
  const { alert } = kept;
  await unit.save(kept);
  await unit.announce(kept);
  // What is for one place alone holds nothing back from others.
  if (alert.status !== 'resolved' || alert.only !== undefined) return pass(kept);
  const firing = await unit.firing();
  const held = firing.filter(({ heldBy }) => heldBy === alert.fingerprint);
  const freed: KeptAlert[] = [];
  for (const other of held) {
    const still = inhibitor(
      inhibitRules,
      firing.map((each) => each.alert),
      other.alert,
    );
    // Due from now on: a digest of the time in which it was held back is told already.
    const due = Math.max(other.due, context.now);
    const next = { ...other, due, heldBy: still?.fingerprint ?? null };
    await unit.save(next);
    if (still !== undefined) continue;
    await unit.announce(next);
    freed.push(next);
  }
  return pass(kept, ...freed);
}
