import { expect, onTestFinished, test, vi } from 'vitest';

/** Opens tabs, and returns which of them did the work that all were given at one moment. */
async function tabs(count: number) {
  vi.useFakeTimers();
  onTestFinished(async () => {
    await vi.advanceTimersByTimeAsync(60_000);
    vi.useRealTimers();
  });
  const open: typeof import('#src/web/in-one-tab.ts')[] = [];
  for (let index = 0; index < count; index += 1) {
    // Each tab has a module of its own.
    vi.resetModules();
    open.push(await import('#src/web/in-one-tab.ts'));
  }
  return async () => {
    const done: number[] = [];
    for (const [index, { inOneTab }] of open.entries()) void inOneTab(() => done.push(index));
    await vi.advanceTimersByTimeAsync(100);
    return done;
  };
}

test('one tab of several does the work', async () => {
  const work = await tabs(3);
  expect(await work()).toEqual([0]);
});

test('the tab that did it does what comes right after as well, and no other', async () => {
  const work = await tabs(2);
  expect(await work()).toEqual([0]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await work()).toEqual([0]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await work()).toEqual([0]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await work()).toEqual([0]);
});
