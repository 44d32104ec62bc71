import type { Hook } from '../alert/hook.ts';
import { hour, second } from '../runtime/units.ts';
import { noticeOf } from './alert-change.ts';
import { maxWaiting } from './inbox.ts';
import type { HookAnswer, ReceivingOptions } from './receive.ts';
import { seenBodyOf } from './seen-body.ts';
import type { Refusal } from './signal.ts';

/** The status of each refusal. Alertmanager repeats a request after 5xx alone; what cannot be read is not better later. */
export const refusalStatus = {
  unreadable: 400,
  'too-large': 413,
  busy: 503,
  full: 503,
} as const satisfies Record<Refusal, number>;

/** How often the chat is told that messages were refused. */
const noticeInterval = hour;
/** How many hooks are remembered to have told. */
const maxTold = 10_000;

interface Refused {
  readonly refused: Refusal;
  /** Wall ms. */
  readonly at: number;
  /** For the sender. */
  readonly error: string;
  /** After how long it may try again, ms. */
  readonly wait?: number;
  /** The beginning of the body. */
  readonly text?: string;
}

/** Refuses messages of senders that have proved their identity: tells the sender, and the chat once an hour at most. */
export function createRefusing(options: Omit<ReceivingOptions, 'resolveSymbol' | 'priceOf' | 'wall'>) {
  const { hooks, inbox, now, steady, onStored, onOutcome, onError } = options;
  /** When each hook's chat was last told, steady ms. */
  const toldAt = new Map<string, number>();

  async function tell(hook: Hook, { refused, at }: Refused): Promise<void> {
    const { id } = hook;
    const told = toldAt.get(id);
    if (told !== undefined && steady.now() - told < noticeInterval) return;
    if (toldAt.size >= maxTold) toldAt.clear();
    toldAt.set(id, steady.now());
    // The key is the same in every process, so that one of them tells, and one notice waits beside the messages at most.
    const received = { hook: id, key: 'refused', at, market: now(), signals: [noticeOf(refused, hook)] };
    const limits = { since: at - noticeInterval, maxWaiting: maxWaiting + 1 };
    try {
      const outcome = await inbox.accept(received, limits);
      if (outcome === 'kept') onStored();
      else if (outcome === 'full') toldAt.delete(id);
    } catch (error) {
      toldAt.delete(id);
      throw error;
    }
  }

  return async (hook: Hook, given: Refused): Promise<HookAnswer> => {
    const { refused, error, wait, text = '' } = given;
    onOutcome?.(refused);
    // A storm is not made worse by writing down each of its requests.
    const isKept = refused === 'unreadable' || refused === 'too-large';
    await Promise.all([
      tell(hook, given).catch(onError),
      isKept && hooks.note(hook.id, seenBodyOf({ text, signals: [] }, { at: now(), refused })).catch(onError),
    ]);
    const retryAfter = wait === undefined ? undefined : Math.ceil(wait / second);
    return { status: refusalStatus[refused], body: { error }, retryAfter };
  };
}
