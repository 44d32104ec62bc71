import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineDetector } from '#src/detectors/detector.ts';
import { plainReader, say } from '#src/language/say.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { hour, minute, second } from '#src/runtime/units.ts';
import { ownPipeline } from '#test/support/own-pipeline.ts';
import { inTest, watchOn } from '#test/support/watching.ts';

it('looks at nothing while another process may have taken over, and looks at once when it has the role still', async () => {
  const f = await ownPipeline();
  const looks: number[] = [];
  const detector = defineDetector({
    name: 'looking',
    ...inTest,
    schedule: '* * * * * *',
    state: z.object({}),
    observe: async () => void looks.push(f.clock.now()),
    step: () => ({ state: {}, changes: [] }),
  });
  let held = true;
  watchOn(f, [detector]).start(f.pipeline, () => held);
  await f.clock.advance(10 * second);
  const before = looks.length;
  expect(before).toBeGreaterThan(5);
  held = false;
  await f.clock.advance(minute);
  expect(looks).toHaveLength(before);
  held = true;
  await f.clock.advance(second);
  expect(looks.length).toBeGreaterThan(before);
});

it('a look that failed is repeated when its pause ends, not at its next time, and then has no problem any more', async () => {
  const f = await ownPipeline();
  const begin = f.clock.now();
  const looks: number[] = [];
  const detector = defineDetector({
    name: 'looking',
    ...inTest,
    schedule: '0 */10 * * * *',
    state: z.object({}),
    async observe() {
      looks.push(f.clock.now() - begin);
      if (looks.length === 1) throw new ApiError('/oi', 'rate_limited', 'too many', { retryAfter: 90_000 });
      if (looks.length === 2) throw new ApiError('/oi', 'not_offered', 'never');
    },
    step: () => ({ state: {}, changes: [] }),
  });
  const watch = watchOn(f, [detector]);
  watch.start(f.pipeline);
  await f.clock.advance(89 * second);
  expect(looks).toHaveLength(1);
  await f.clock.advance(2 * second);
  expect(looks).toHaveLength(2);
  // What is not offered is not asked for again before its time.
  await f.clock.advance(6 * minute);
  expect(looks).toHaveLength(2);
  await f.clock.advance(4 * minute);
  expect(looks).toHaveLength(3);
  expect(watch.status()[0]?.problem).toBeNull();
});

it.each([
  ['its values are dated ahead of now', { seen: 3 * hour }, true, /its data is dated/],
  ['none of its markets is listed', { seen: 0 }, true, /none of its markets is listed/],
  ['it had too little to judge by', { seen: 0 }, false, /not enough data to judge by/],
  ['nothing is wrong', { seen: 0 }, true, undefined],
])('a detector whose look succeeded says why it cannot fire: %s', async (what, { seen }, able, why) => {
  const f = await ownPipeline();
  const at = f.clock.now() + seen;
  const detector = defineDetector({
    name: 'looking',
    ...inTest,
    schedule: '* * * * * *',
    state: z.object({ values: z.record(z.string(), z.object({ seen: z.number() })) }),
    observe: async () => null,
    step: () => ({ state: { values: { BTCUSDT: { seen: at } } }, changes: [], able }),
  });
  const watch = watchOn(f, [detector], { universe: () => [what.startsWith('none') ? 'ETHUSDT' : 'BTCUSDT'] });
  watch.start(f.pipeline);
  await f.clock.advance(2 * second);
  const [{ problem, waits } = { problem: 'none ran' }] = watch.status();
  expect(problem).toBeNull();
  const said = waits === undefined ? undefined : say(waits, plainReader);
  if (why === undefined) expect(said).toBeUndefined();
  else expect(said).toMatch(why);
});

it('a detector that follows prices looks at each change of a streamed one, and without a stream by its schedule', async () => {
  const f = await ownPipeline();
  const seen: (number | undefined)[] = [];
  const stored: unknown[] = [];
  const detector = defineDetector({
    name: 'looking',
    ...inTest,
    schedule: '0 * * * * *',
    followsPrices: true,
    state: z.object({ price: z.number().optional() }),
    observe: async ({ prices }) => prices?.coins[0]?.price,
    step(_, price) {
      seen.push(price);
      return { state: { price }, changes: [] };
    },
  });
  let streamed: { at: number; price: number } | undefined;
  watchOn(f, [detector], {
    universe: () => ['BTCUSDT'],
    livePrices: () => streamed && { at: streamed.at, prices: new Map([['BTCUSDT', streamed]]) },
  }).start({
    async dispatch(detector, given) {
      stored.push(given.state);
      await f.pipeline.dispatch(detector, given);
    },
  });
  await f.clock.advance(second);
  expect(seen).toEqual([undefined]);
  for (const price of [1, 2, 3]) {
    streamed = { at: f.clock.now(), price };
    await f.clock.advance(2 * second);
  }
  // Of prices that change nothing, the first of each minute is stored.
  expect(seen).toEqual([undefined, 1, 2, 3]);
  expect(stored).toEqual([{}]);
  streamed = undefined;
  await f.clock.advance(minute);
  expect(seen.slice(4)).toEqual([undefined]);
});
