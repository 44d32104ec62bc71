import type { Logger } from 'pino';
import type { Receiver } from '../../alert/subscription.ts';
import type { WallClock } from '../../runtime/clock.ts';
import { startLoop } from '../../runtime/loop.ts';
import { keepRole, LostRole, type RoleOptions } from '../../runtime/role.ts';
import { second } from '../../runtime/units.ts';
import { flawText } from '../../shell/sheet.ts';
import type { FileChanges, FileStore, Store } from '../../store/ports.ts';
import type { PlaceFiles } from '../config/place-files.ts';
import { changesOf, type Plan, planOf, receiversOf, type WantedPlaces } from './plan.ts';
import { planLines, planSummary, recordsOf } from './plan-lines.ts';
import { type ReadContext, readPlaces } from './read.ts';
import { openInThread } from './sheet-thread.ts';

/** The setting that stores the markets that files may name, so that they can be checked while the bot is not running. */
export const marketsSetting = 'markets that files may name';

interface KeepFilesOptions extends Pick<ReadContext, 'kinds' | 'platforms' | 'open'> {
  readonly store: Pick<Store, 'settings' | 'under'>;
  readonly roles: RoleOptions;
  /** Tracked symbols. Empty until they are known. */
  readonly universe: () => readonly string[];
  readonly addresses: { shown(receiver: Receiver): Receiver };
  /** Called with the number of flaws whenever the files have been read. */
  readonly onFlaws?: (count: number) => void;
  /** Market ms. */
  readonly now: () => number;
  readonly wall: WallClock;
  readonly log: Logger;
}

interface KeptFiles {
  /** Takes new files. Null: there are none any more; what they set up then belongs to the places themselves. */
  take(files: PlaceFiles | null): void;
  stop(): Promise<void>;
}

/**
 * Applies the files to the places as soon as the markets are known, and again whenever the files are read anew. Only the
 * process that has the role `files` does so, with the files that this process reads.
 */
export async function keepFiles(given: PlaceFiles | null, options: KeepFilesOptions): Promise<KeptFiles> {
  let current = given;
  let applying: KeptFiles | undefined;
  const role = await keepRole('files', options.roles, ({ lease }) => {
    const kept = applyFiles(current, { ...options, files: options.store.under(lease).files });
    applying = kept;
    return {
      async stop() {
        applying = undefined;
        await kept.stop();
        options.onFlaws?.(0);
      },
    };
  });
  return {
    take(files) {
      current = files;
      applying?.take(files);
    },
    stop: role.stop,
  };
}

/** Applies the files while the role is held. */
function applyFiles(
  given: PlaceFiles | null,
  {
    store,
    files: fileStore,
    universe,
    onFlaws = () => {},
    now,
    wall,
    log,
    addresses,
    open = openInThread,
    ...context
  }: KeepFilesOptions & { readonly files: FileStore },
): KeptFiles {
  let next: PlaceFiles | null | undefined = given;

  async function apply(files: PlaceFiles): Promise<void> {
    const at = now();
    const symbols = universe();
    const { wanted, flaws } = await readPlaces(files, { ...context, open, universe: symbols, now: at });
    onFlaws(flaws.length);
    const [first, ...others] = flaws;
    if (first !== undefined) {
      const problem = flawText(first);
      log.error(
        { problem, more: others.length },
        'a file of places is wrong; everything stays as it was ("npm run check -- places" lists all)',
      );
      return;
    }
    const plan = await applyPlaces(wanted, { files: fileStore, at });
    await store.settings.put(marketsSetting, JSON.stringify(symbols));
    const summary = planSummary(plan);
    log.info(
      { done: summary },
      summary === undefined ? 'places have what the files say' : 'the files of places are applied',
    );
    for (const line of planLines(plan, addresses.shown)) log.debug({ line }, 'from the files of places');
  }

  async function applyNext(): Promise<number> {
    if (next === undefined) return Number.POSITIVE_INFINITY;
    if (next !== null && universe().length === 0) return second;
    const current = next;
    if (current === null) {
      onFlaws(0);
      const released = await fileStore.release();
      if (released > 0)
        log.info({ released }, 'no files of places any more: what they had is the chats’ own');
    } else await apply(current);
    if (next === current) next = undefined;
    return 0;
  }

  const loop = startLoop(applyNext, {
    wall,
    onError(error) {
      // After a lost role the files are applied by the process that has the role.
      if (!(error instanceof LostRole))
        log.error({ err: error }, 'could not apply the files of places; retrying');
    },
  });
  return {
    take(files) {
      next = files;
      loop.wake();
    },
    stop: loop.stop,
  };
}

/** Applies the files' content in one transaction and returns what was done. @param at market ms */
export async function applyPlaces(
  wanted: WantedPlaces,
  { files, at }: { readonly files: Store['files']; readonly at: number },
): Promise<Plan> {
  const { plan } = await files.change(
    { receivers: receiversOf(wanted), at },
    (held, newId): FileChanges & { plan: Plan } => {
      const plan = planOf(wanted, held);
      const changes = changesOf(plan, newId);
      return { ...changes, records: recordsOf(changes), plan };
    },
  );
  return plan;
}
