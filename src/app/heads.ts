import type { Logger } from 'pino';
import { z } from 'zod';
import type { Change } from '../alert/alert.ts';
import { headText, type PostedHead } from '../alert/chain.ts';
import type { Receiver } from '../alert/subscription.ts';
import { count } from '../language/format.ts';
import { msg, type Text } from '../language/text.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import type { WallClock } from '../runtime/clock.ts';
import { type Loop, startLoop } from '../runtime/loop.ts';
import { day, minute } from '../runtime/units.ts';
import type { Store } from '../store/ports.ts';
import { isNewDay } from './alive.ts';

/** The kind of the daily post. Nobody can subscribe to it. */
const chainHeads = 'chain-head';

const state = z.object({ day: z.int(), n: z.int() });
type HeadsState = z.output<typeof state>;

/**
 * Decides whether to post the head of the alert chain: once a market day, unless nothing has joined it since the last head.
 * A new head resolves the post of the last one. A message on a platform cannot be changed later without a trace, so the posted
 * head proves what had been announced by then.
 */
export function stepHeads(
  past: HeadsState | undefined,
  { head, now, only }: { readonly head: PostedHead; readonly now: number; readonly only: Receiver },
): { readonly state: HeadsState; readonly changes: Change[] } | undefined {
  const today = Math.floor(now / day);
  if (past !== undefined && (!isNewDay(today, past.day) || head.n === past.n)) return undefined;
  if (head.n === 0) return undefined;
  const post = (
    status: Change['status'],
    { of: dayNumber, title, summary }: { readonly of: number; readonly title: Text; readonly summary: Text },
  ): Change => ({
    status,
    labels: { kind: chainHeads, day: String(dayNumber) },
    severity: 'info',
    annotations: { title, summary, facts: [], dataTime: now },
    only,
  });
  const next = post('firing', {
    of: today,
    title: msg('Record of alerts: head {n}', { n: count(head.n) }),
    summary: msg(
      'Head {head}. Keep it: with it, "npm run verify" shows whether anything announced until now was changed or left out since, and docs/verify.html whether an alert was announced before its outcome.',
      { head: headText(head) },
    ),
  });
  const nextHeadText = msg('The next head is {n}.', { n: count(head.n) });
  const before =
    past === undefined
      ? []
      : [post('resolved', { of: past.day, title: nextHeadText, summary: nextHeadText })];
  return { state: { day: today, n: head.n }, changes: [...before, next] };
}

export function keepHeads({
  store,
  pipeline,
  only,
  now,
  wall,
  log,
}: {
  readonly store: Pick<Store, 'chain' | 'detectors'>;
  readonly pipeline: Pick<Pipeline, 'dispatch'>;
  readonly only: Receiver;
  readonly now: () => number;
  readonly wall: WallClock;
  readonly log: Pick<Logger, 'error'>;
}): Loop {
  return startLoop(
    async () => {
      await store.chain.join();
      const past = state.safeParse(await store.detectors.state(chainHeads)).data;
      const given = { now: now(), only };
      // Whether a head is due is known without its root, which takes a look at all links.
      if (stepHeads(past, { head: await store.chain.head(), ...given }) === undefined) return minute;
      const stepped = stepHeads(past, { head: await store.chain.posted(), ...given });
      if (stepped !== undefined)
        await pipeline.dispatch(
          { name: chainHeads, groupWait: 0 },
          { state: stepped.state, changes: stepped.changes },
        );
      return minute;
    },
    {
      wall,
      onError: (error) => log.error({ err: error }, 'could not post the head of the alert chain; retrying'),
    },
  );
}
