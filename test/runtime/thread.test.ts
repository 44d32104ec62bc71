import { describe, expect, it, onTestFinished } from 'vitest';
import { ApiError, ConfigError } from '#src/runtime/errors.ts';
import { createThread } from '#src/runtime/thread.ts';
import type { Offering, Parent } from './threads/offering.ts';

function open() {
  const ended: string[] = [];
  let starts = 0;
  const offered = {
    double: (number: number) => 2 * number,
    fail: () => {
      throw new ApiError('/here', 'not_offered', 'no');
    },
  } satisfies Parent;
  const thread = createThread<Offering>(new URL('./threads/offering.ts', import.meta.url), {
    options: () => ({ name: 'offering', workerData: ++starts }),
    offered,
    onEnd: (reason) => ended.push(reason instanceof Error ? reason.message : String(reason)),
  });
  onTestFinished(() => thread.end());
  return { thread, ended };
}
const thrownBy = (asked: Promise<unknown>) => asked.catch((error: unknown) => error);

describe('a thread', () => {
  it('answers each call with its own answer, whatever the order', async () => {
    const { remote } = open().thread;
    expect(await Promise.all([remote.later('one'), remote.add(2, 3), remote.add(4, 5)])).toEqual([
      'ONE',
      5,
      9,
    ]);
  });

  it('has no environment of its own unless it is given one', async () => {
    const { env, ...place } = await open().thread.remote.place();
    expect(place).toEqual({ isMainThread: false, workerData: 1 });
    expect(env.filter((name) => name !== 'NODE_COMPILE_CACHE')).toEqual([]);
  });

  it('may call what its parent offers', async () => {
    const { remote } = open().thread;
    expect(await remote.askBack(21)).toBe(42);
    expect(await remote.failBack()).toBe('not_offered');
  });

  it('an error of ours keeps its class, its fields and what caused it', async () => {
    const { remote } = open().thread;
    const refused = await thrownBy(remote.refuse());
    expect(refused).toBeInstanceOf(ConfigError);
    expect(refused).toMatchObject({ problems: ['one', 'two'], mayPass: true, message: 'one\ntwo' });
    const limited = await thrownBy(remote.limit());
    expect(limited).toBeInstanceOf(ApiError);
    expect(limited).toMatchObject({
      message: '/oi: wait',
      endpoint: '/oi',
      reason: 'rate_limited',
      retryAfter: 7,
      cause: { name: 'TypeError', message: 'socket', cause: { message: 'closed' } },
    });
  });

  it('any other error keeps its name, its message and where it was thrown', async () => {
    const error = await thrownBy(open().thread.remote.stray());
    expect(error).toMatchObject({ name: 'RangeError', message: 'beyond' });
    expect((error as Error).stack).toContain('threads/offering.ts');
    expect(error).not.toHaveProperty('callback');
  });

  it('an answer that cannot be copied is an error of that call alone', async () => {
    const { remote } = open().thread;
    expect(await thrownBy(remote.uncopied())).toMatchObject({ name: 'DataCloneError' });
    expect(await remote.add(1, 1)).toBe(2);
  });

  it.each([
    ['an error of its own', 'throwLater', 'the thread "offering" ended: by itself'],
    ['an exit', 'exit', 'the thread "offering" ended with code 3'],
  ] as const)(
    'ended by %s fails all that waits, and the next call starts another',
    async (_, how, message) => {
      const { thread, ended } = open();
      const waiting = thrownBy(thread.remote.hang());
      expect(await thrownBy(thread.remote[how]())).toMatchObject({ name: 'ThreadEnded', message });
      expect(await waiting).toMatchObject({ name: 'ThreadEnded', message });
      expect(ended).toEqual([message]);
      expect((await thread.remote.place()).workerData).toBe(2);
    },
  );

  it('that is busy is ended at once: what waits throws the reason', async () => {
    const { thread, ended } = open();
    await thread.remote.add(1, 1);
    const waiting = [thrownBy(thread.remote.spin()), thrownBy(thread.remote.add(1, 1))];
    const ending = thread.end(new Error('enough'));
    expect(await Promise.all(waiting)).toMatchObject([{ message: 'enough' }, { message: 'enough' }]);
    await ending;
    expect(ended).toEqual(['enough']);
    expect((await thread.remote.place()).workerData).toBe(2);
  });
});
