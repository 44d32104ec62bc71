import { expect, it } from 'vitest';
import type { Outlet } from '#src/pipeline/delivery.ts';
import { postOnce } from '#src/pipeline/try-post.ts';
import { createPace } from '#src/runtime/pace.ts';
import { second } from '#src/runtime/units.ts';
import { start } from '#test/support/alerts.ts';
import { fakeClock } from '#test/support/clock.ts';
import { recorder } from '#test/support/pipeline.ts';

const limits = { perAddress: [{ per: second, max: 1 }] };

/** Creates a platform with a pace; its places are named `house of <room>`. */
function fixture() {
  const clock = fakeClock(start);
  const pace = createPace(limits, clock);
  const { sent, connection } = recorder();
  const sharedBy: Outlet['paceKey'] = (address) => `house of ${address.room}`;
  const outlet: Outlet = { name: 'web', connection, concurrency: 1, pace, paceKey: sharedBy };
  const post = (title: string) =>
    postOnce(outlet, {
      receiver: { notifier: 'web', address: { room: 'a' } },
      card: { title },
      signal: new AbortController().signal,
    });
  return { clock, pace, sent, post, titles: () => sent.map(({ notification }) => notification.card.title) };
}

it('a post that bypasses the queue waits while the platform blocks its place', async () => {
  const { clock, pace, post, titles } = fixture();
  pace.block('house of a', 5 * second);
  const posted = post('A channel was lost');
  await clock.advance(4.9 * second);
  expect(titles()).toEqual([]);
  await clock.advance(0.2 * second);
  await posted;
  expect(titles()).toEqual(['A channel was lost']);
});

it('a post that bypasses the queue takes its turn from the shared pace, before routine messages', async () => {
  const { clock, pace, post, titles } = fixture();
  const { signal } = new AbortController();
  await pace.take('house of a', { lane: 'routine', signal });
  let routine = 0;
  void pace.take('house of a', { lane: 'routine', signal }).then(() => {
    routine = titles().length;
  });
  const posted = post('A channel was lost');
  await clock.advance(0.9 * second);
  expect(titles()).toEqual([]);
  await clock.advance(0.2 * second);
  await posted;
  await clock.advance(second);
  expect([titles(), routine]).toEqual([['A channel was lost'], 1]);
});
