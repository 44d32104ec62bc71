import type { Update } from 'telegraf/types';
import { z } from 'zod';
import { parseJson } from '../../runtime/parse-json.ts';
import { day, second } from '../../runtime/units.ts';
import type { Places, Ports } from '../ports.ts';
import { addSeen, isSeen, noneSeen, type SeenIds } from './seen-ids.ts';
import { updateSchema } from './updates.ts';

/** Receives updates: stores them before Telegram may forget them, and deletes them once they have been handled. */
export interface Intake {
  /**
   * Resolves when the new updates among these are stored; they are handled in the background. Rejects if they are not, and
   * then none of them is handled: Telegram sends them again.
   */
  accept(updates: readonly Update[]): Promise<void>;
  /** Returns the id of the first update that has not been seen yet; 0: the oldest one that Telegram has. */
  next(): number;
  /** Waits a moment for the updates that are being handled; unfinished updates stay stored for the next start. */
  close(): Promise<void>;
}

interface IntakeOptions extends Pick<Ports, 'holdsRole' | 'wall' | 'log'> {
  /** Name under which the updates are stored; each bot has its own. */
  readonly name: string;
  readonly places: Pick<Places, 'recall' | 'remember'>;
  readonly handle: (update: Update) => Promise<void>;
  /** Aborted when the bot stops: updates that are not handled by then are left to the next start. */
  readonly stopping: AbortSignal;
}

/** Maximum number of updates handled at once; beyond it no more are fetched until some are finished. */
const maxPending = 200;
const grace = 2 * second;
/**
 * How long the newest update id is remembered. Ids rise by one, but after a week without updates they begin anew at any
 * number (Bot API: Update). Telegram keeps updates for a day: an update seen longer ago than that cannot come again.
 */
const idLifetime = day;

const journal = z.object({
  next: z.int(),
  gaps: z.array(z.tuple([z.int(), z.int()])).default([]),
  at: z.number(),
  pending: z.array(updateSchema),
});

export async function createIntake(options: IntakeOptions): Promise<Intake> {
  const { name, places, holdsRole, wall, handle, stopping, log } = options;
  const pending = new Map<number, { update: Update; done: Promise<void> }>();
  const { pending: unfinished, at: lastAt, ...lastSeen } = readJournal(await places.recall(name));
  let seen: SeenIds = lastSeen;
  /** When the newest update was accepted. */
  let at = lastAt;
  let saving: Promise<void> | undefined;
  let nextSave: Promise<void> | undefined;

  const write = async () => {
    // What another process may have accepted by now must not be overwritten.
    if (!holdsRole()) throw new Error('another process may talk on Telegram by now');
    const updates = [...pending.values()].map((each) => each.update);
    await places.remember(name, JSON.stringify({ ...seen, at, pending: updates }));
  };
  /** Resolves when the current state is stored. All calls made during a write share one further write. */
  const save = (): Promise<void> => {
    if (nextSave !== undefined) return nextSave;
    if (saving !== undefined) {
      nextSave = saving
        .catch(() => {})
        .then(() => {
          nextSave = undefined;
          return save();
        });
      return nextSave;
    }
    saving = write().finally(() => {
      saving = undefined;
    });
    return saving;
  };

  const startHandling = (one: Update) => {
    const work = async () => {
      try {
        await handle(one);
      } catch (error) {
        if (stopping.aborted) return;
        // The update counts as handled all the same, because it would fail again each time.
        log.error({ err: error, update: one.update_id }, 'a Telegram update could not be handled');
      }
      pending.delete(one.update_id);
      await save().catch((error) =>
        log.warn(
          { err: error },
          'could not store which Telegram updates were handled; some may be handled twice',
        ),
      );
    };
    pending.set(one.update_id, { update: one, done: work() });
  };

  if (unfinished.length > 0)
    log.warn(
      { updates: unfinished.map(({ update_id }) => update_id) },
      'the last run ended while these Telegram updates were answered; their answers may come twice',
    );
  for (const one of unfinished) startHandling(one);
  const current = (): SeenIds => (wall.now() - at > idLifetime ? noneSeen : seen);

  return {
    async accept(updates) {
      const before = { seen, at };
      const known = current();
      const fresh = updates.filter(({ update_id }) => !isSeen(known, update_id) && !pending.has(update_id));
      if (fresh.length === 0) return;
      seen = fresh.reduce((all, { update_id }) => addSeen(all, update_id), known);
      at = wall.now();
      for (const one of fresh) pending.set(one.update_id, { update: one, done: Promise.resolve() });
      try {
        await save();
      } catch (error) {
        for (const { update_id } of fresh) pending.delete(update_id);
        ({ seen, at } = before);
        throw error;
      }
      for (const one of fresh) startHandling(one);
      while (pending.size > maxPending && !stopping.aborted) {
        await Promise.race([...pending.values()].map(({ done }) => done));
      }
    },
    next: () => current().next,
    async close() {
      const handled = Promise.all([...pending.values()].map(({ done }) => done));
      await Promise.race([handled, wall.sleep(grace)]);
      if (holdsRole()) await save();
    },
  };
}

const readJournal = (text = ''): z.output<typeof journal> =>
  journal.safeParse(parseJson(text)).data ?? { next: 0, gaps: [], at: 0, pending: [] };
