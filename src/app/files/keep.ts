import type { Logger } from 'pino';
import type { Receiver } from '../../alert/subscription.ts';
import type { WallClock } from '../../runtime/clock.ts';
import { startLoop } from '../../runtime/loop.ts';
import { second } from '../../runtime/units.ts';
import type { FileChanges } from '../../store/files.ts';
import type { Store } from '../../store/store.ts';
import type { PlaceFiles } from './given.ts';
import { changesOf, type Plan, planOf, type WantedPlaces } from './plan.ts';
import { type ReadContext, readPlaces } from './read.ts';
import { flawText } from './sheet.ts';
import { planLines, planSummary, recordsOf } from './words.ts';

/** Under which the markets are kept that files may name, for a check while nothing runs. */
export const marketsSetting = 'markets that files may name';

export interface KeepFilesOptions extends Pick<ReadContext, 'kinds' | 'platforms'> {
  readonly store: Pick<Store, 'files' | 'settings'>;
  /** Tracked symbols; empty until they are known. */
  readonly universe: () => readonly string[];
  readonly addresses: { shown(receiver: Receiver): Receiver };
  /** Market ms. */
  readonly now: () => number;
  readonly wall: WallClock;
  readonly log: Logger;
}

export interface KeptFiles {
  /** What stands in files from now on; null: nothing does, and what they had is the places’ own. */
  take(files: PlaceFiles | null): void;
  stop(): Promise<void>;
}

/** Gives places what files say, as soon as the markets are known, and again whenever the files are read anew. */
export function keepFiles(
  given: PlaceFiles | null,
  { store, universe, now, wall, log, ...context }: KeepFilesOptions,
): KeptFiles {
  let next: PlaceFiles | null | undefined = given;

  async function apply(files: PlaceFiles): Promise<void> {
    const at = now();
    const symbols = universe();
    const { wanted, flaws } = await readPlaces(files, { ...context, universe: symbols, now: at });
    const [first, ...others] = flaws;
    if (first !== undefined) {
      const problem = flawText(first);
      log.error(
        { problem, more: others.length },
        'a file of places is wrong; everything stays as it was ("npm run check -- places" lists all)',
      );
      return;
    }
    const plan = await applyPlaces(wanted, { files: store.files, at });
    const done = planSummary(plan);
    log.info(
      { done },
      done === undefined ? 'places have what the files say' : 'the files of places are applied',
    );
    for (const line of planLines(plan, context.addresses.shown))
      log.debug({ line }, 'from the files of places');
    await store.settings.put(marketsSetting, JSON.stringify(symbols));
  }

  async function turn(): Promise<number> {
    if (next === undefined) return Number.POSITIVE_INFINITY;
    if (next !== null && universe().length === 0) return second;
    const taken = next;
    if (taken === null) {
      const released = await store.files.release();
      if (released > 0)
        log.info({ released }, 'no files of places any more: what they had is the chats’ own');
    } else await apply(taken);
    if (next === taken) next = undefined;
    return 0;
  }

  const loop = startLoop(turn, {
    wall,
    onError: (error) => log.error({ err: error }, 'could not apply the files of places; retrying'),
  });
  return {
    take(files) {
      next = files;
      loop.wake();
    },
    stop: loop.stop,
  };
}

/** Returns what was done. @param at market ms */
export async function applyPlaces(
  wanted: WantedPlaces,
  { files, at }: { readonly files: Store['files']; readonly at: number },
): Promise<Plan> {
  const receivers = [...wanted.subscriptions, ...wanted.rules].map(({ thing }) => thing.receiver);
  const { plan } = await files.change({ receivers, at }, (held, newId): FileChanges & { plan: Plan } => {
    const plan = planOf(wanted, held);
    const changes = changesOf(plan, newId);
    return { ...changes, records: recordsOf(changes), plan };
  });
  return plan;
}
