import type { Logger } from 'pino';
import type { Change } from '../alert/alert.ts';
import type { HookEntry } from '../alert/call.ts';
import type { Hook } from '../alert/hook.ts';
import type { WallClock } from '../runtime/clock.ts';
import { type Loop, startLoop } from '../runtime/loop.ts';
import { LostRole } from '../runtime/role.ts';
import { second } from '../runtime/units.ts';
import type { HookLog, Inbox } from './inbox.ts';
import { type HookState, hookState, stepHooks } from './step.ts';

/** Name under which the state is stored. */
export const hooksStateName = 'hooks';

/** Messages handled in one turn, which takes some milliseconds. */
const batchSize = 100;
/** Wall ms between two checks, needed because another process may have received a message. */
const pollInterval = second;

interface HookKeeping {
  readonly inbox: Pick<Inbox, 'waiting' | 'finish'>;
  readonly hooks: Pick<HookLog, 'read'>;
  /** Returns the stored state; undefined if there is none yet. */
  readonly readState: () => Promise<unknown>;
  /** Stores the state, its alerts and its calls in one transaction, under the role of the process that watches. */
  readonly storeState: (given: {
    readonly state: HookState;
    readonly changes: readonly Change[];
    readonly entries: readonly HookEntry[];
  }) => Promise<void>;
  /** Market ms. */
  readonly now: () => number;
  readonly wall: WallClock;
  readonly log: Pick<Logger, 'error'>;
}

/**
 * Makes alerts of the messages that hooks received. The state names the messages it has handled and commits together
 * with the alerts. So a process that dies before it marks them as handled finds them in the state after a restart: no
 * message is handled twice, and none is missed.
 */
export function startHooks({ inbox, hooks, readState, storeState, now, wall, log }: HookKeeping): Loop {
  let state: HookState | undefined;

  async function turn(): Promise<number> {
    if (state === undefined) {
      state = hookState.safeParse((await readState()) ?? {}).data ?? hookState.parse({});
      await inbox.finish(state.handled);
    }
    const before = state;
    const received = await inbox.waiting(batchSize);
    const ids = new Set([
      ...received.map(({ hook }) => hook),
      ...Object.values(before.open).map(({ hook }) => hook),
    ]);
    if (ids.size === 0) return pollInterval;
    const knownHooks: Hook[] = await hooks.read([...ids]);
    const next = stepHooks(before, {
      received,
      hooks: new Map(knownHooks.map((hook) => [hook.id, hook])),
      now: now(),
    });
    if (received.length === 0 && next.changes.length === 0) {
      state = { ...before, open: next.state.open };
      return pollInterval;
    }
    try {
      await storeState(next);
      state = next.state;
      await inbox.finish(state.handled);
    } catch (error) {
      // Forces the stored state to be read again: the transaction may have committed although its response was lost.
      state = undefined;
      throw error;
    }
    return received.length < batchSize ? pollInterval : 0;
  }

  return startLoop(turn, {
    wall,
    onError(error) {
      if (!(error instanceof LostRole)) log.error({ err: error }, 'could not make alerts of hooks; retrying');
    },
  });
}
