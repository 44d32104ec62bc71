import type { Logger } from 'pino';
import type { Change } from '../alert/alert.ts';
import type { Hook } from '../alert/hook.ts';
import type { WallClock } from '../runtime/clock.ts';
import { type Loop, startLoop } from '../runtime/loop.ts';
import { LostRole } from '../runtime/role.ts';
import { second } from '../runtime/units.ts';
import type { HookLog, Inbox } from './inbox.ts';
import { type HookState, hookState, stepHooks } from './step.ts';

/** Under which the state is kept. */
export const hooksState = 'hooks';

/** Messages of one turn: some milliseconds. */
const atOnce = 100;
/** Wall ms between two looks: another process may have taken a message. */
const every = second;

export interface HookKeeping {
  readonly inbox: Pick<Inbox, 'waiting' | 'finish'>;
  readonly hooks: Pick<HookLog, 'read'>;
  /** What was kept; undefined: nothing yet. */
  readonly kept: () => Promise<unknown>;
  /** Keeps the state and what is told of it together, under the role of whoever watches. */
  readonly keep: (given: { readonly state: HookState; readonly changes: readonly Change[] }) => Promise<void>;
  /** Market ms. */
  readonly now: () => number;
  readonly wall: WallClock;
  readonly log: Pick<Logger, 'error'>;
}

/**
 * Makes alerts of what hooks were brought. What was handled stands in the state, which commits with its alerts: whoever is
 * killed before they are marked as handled finds there that they were, and handles none twice and none never.
 */
export function startHooks({ inbox, hooks, kept, keep, now, wall, log }: HookKeeping): Loop {
  let state: HookState | undefined;

  async function turn(): Promise<number> {
    if (state === undefined) {
      state = hookState.safeParse((await kept()) ?? {}).data ?? hookState.parse({});
      await inbox.finish(state.handled);
    }
    const before = state;
    const received = await inbox.waiting(atOnce);
    const ids = new Set([
      ...received.map(({ hook }) => hook),
      ...Object.values(before.open).map(({ hook }) => hook),
    ]);
    if (ids.size === 0) return every;
    const known: Hook[] = await hooks.read([...ids]);
    const stepped = stepHooks(before, {
      received,
      hooks: new Map(known.map((hook) => [hook.id, hook])),
      now: now(),
    });
    if (received.length === 0 && stepped.changes.length === 0) return every;
    try {
      await keep(stepped);
      state = stepped.state;
      await inbox.finish(state.handled);
    } catch (error) {
      // What was kept is known anew: a commit may have stayed unanswered.
      state = undefined;
      throw error;
    }
    return received.length < atOnce ? every : 0;
  }

  return startLoop(turn, {
    wall,
    onError(error) {
      if (!(error instanceof LostRole)) log.error({ err: error }, 'could not make alerts of hooks; retrying');
    },
  });
}
