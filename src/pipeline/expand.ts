import { startLoop } from '../runtime/loop.ts';
import { isOwnFault } from '../runtime/own-fault.ts';
import { LostRole, type RoleWork } from '../runtime/role.ts';
import { minute, second } from '../runtime/units.ts';
import type { Dispatch, RoleStore, RowId, Store } from '../store/ports.ts';
import { tries } from './defect.ts';
import type { PipelineOptions } from './options.ts';

/** Wall ms between two checks for revisions that another process has announced. */
const lookEvery = second;

/** Ms until a failed dispatch is tried again. Other dispatches go on meanwhile. */
const retryAfter = second;

/** Wall ms between two checks for messages whose alert is over and that nothing else would update. */
const lookForLaggingEvery = minute;

export interface Expanding extends RoleWork {
  /** Starts a turn at once, because a revision was announced. */
  wake(): void;
}

interface ExpandingOptions extends Pick<PipelineOptions, 'expireAfter' | 'now' | 'wall' | 'steady' | 'log'> {
  readonly handOn: (dispatches: readonly Dispatch[]) => Promise<unknown>;
  /** Called when there is something new to deliver. */
  readonly onQueued: () => void;
  /** The outlets that messages may be for. */
  readonly names: ReadonlySet<string>;
}

/**
 * Brings announced revisions into the outbox. Also updates messages whose alert is over and that nothing else would
 * update, and drops messages for platforms that are not configured.
 */
export function startExpanding(
  own: Pick<RoleStore, 'expansion' | 'outbox'>,
  options: ExpandingOptions,
): Expanding {
  const { handOn, names, expireAfter, now, wall, steady, log, onQueued } = options;
  const onError = (error: unknown) =>
    log[error instanceof LostRole ? 'warn' : 'error']({ err: error }, 'pipeline error, retrying');
  const onRecovery = () => log.info('the pipeline goes on');
  const next = createExpansion(own, { handOn, steady, log });
  const expanding = startLoop(
    async () => {
      const pause = await next();
      if (pause === 0) onQueued();
      return Math.min(pause, lookEvery);
    },
    { wall, onError, onRecovery },
  );
  const ending = startLoop(
    async () => {
      if ((await own.outbox.endLagging(now())) > 0) onQueued();
      const unserved = await own.outbox.endUnserved([...names], { before: now() - expireAfter, now: now() });
      if (unserved > 0) log.warn({ unserved }, 'dropped messages for platforms that are not configured');
      return lookForLaggingEvery;
    },
    { wall, onError, onRecovery },
  );
  return {
    wake: expanding.wake,
    async stop() {
      await Promise.all([expanding.stop(), ending.stop()]);
    },
  };
}

/**
 * Creates one turn of expansion, which brings a page of the next announced revisions into the outbox. A dispatch that fails
 * by its own fault is tried three times and then dropped. It delays no other dispatch.
 * @returns a function that does one turn and resolves to the wall ms to wait before the next
 */
export function createExpansion(
  { expansion }: Pick<Store, 'expansion'>,
  { handOn, steady, log }: Pick<ExpandingOptions, 'handOn' | 'steady' | 'log'>,
): () => Promise<number> {
  const failing = new Map<RowId, { readonly times: number; readonly until: number }>();

  const attempt = async (ids: readonly RowId[]): Promise<void> => {
    try {
      await handOn(await expansion.read(ids));
      for (const id of ids) failing.delete(id);
    } catch (error) {
      if (!isOwnFault(error)) throw error;
      // Try each by itself: a dispatch that fails must not make the others fail.
      if (ids.length > 1) for (const id of ids) await attempt([id]);
      else for (const id of ids) await failed(id, error);
    }
  };

  const failed = async (id: RowId, error: unknown) => {
    const times = (failing.get(id)?.times ?? 0) + 1;
    log.error(
      { err: error, dispatch: String(id), times },
      'could not queue an alert for its receivers; retrying',
    );
    if (times < tries) {
      failing.set(id, { times, until: steady.now() + retryAfter });
      return;
    }
    await expansion.drop([id]);
    failing.delete(id);
  };

  let idle = true;
  return async () => {
    const waitingIds = [...failing].filter(([, { until }]) => until > steady.now()).map(([id]) => id);
    const ids = await expansion.next(waitingIds);
    if (ids.length === 0) {
      idle = true;
      return waitingIds.length === 0 ? Number.POSITIVE_INFINITY : retryAfter;
    }
    if (idle) await expansion.forgetMoves();
    idle = false;
    await attempt(ids);
    return 0;
  };
}
