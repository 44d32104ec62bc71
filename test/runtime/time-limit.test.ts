import { describe, expect, test } from 'vitest';
import { withTimeLimit } from '#src/runtime/time-limit.ts';

/** Work that ends only when its signal aborts. */
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

describe('a time limit', () => {
  test('gives the result of work that ends in time', async () => {
    const { signal } = new AbortController();
    expect(await withTimeLimit(60_000, { signal, work: async () => 'done' })).toBe('done');
  });

  test('aborts work that takes longer', async () => {
    const { signal } = new AbortController();
    await expect(withTimeLimit(1, { signal, work: untilAborted })).rejects.toThrow('no answer in time');
  });

  test('aborts work with the reason of the signal', async () => {
    const stopping = new AbortController();
    const outcome = withTimeLimit(60_000, { signal: stopping.signal, work: untilAborted });
    stopping.abort(new Error('the service stops'));
    await expect(outcome).rejects.toThrow('the service stops');
  });

  test('begins no work if the signal has aborted', async () => {
    const signal = AbortSignal.abort(new Error('the service stops'));
    const never = async () => expect.unreachable();
    await expect(withTimeLimit(60_000, { signal, work: never })).rejects.toThrow('the service stops');
  });

  test('leaves the signal of work that has ended alone', async () => {
    const stopping = new AbortController();
    const given = await withTimeLimit(60_000, { signal: stopping.signal, work: async (signal) => signal });
    stopping.abort();
    expect(given.aborted).toBe(false);
  });
});
