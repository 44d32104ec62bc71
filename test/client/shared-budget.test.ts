import { expect, it, onTestFinished, vi } from 'vitest';
import { createRequestBudget, type Payer, type RequestBudget } from '#src/client/request-budget.ts';
import { realTime } from '#src/runtime/clock.ts';
import { minute } from '#src/runtime/units.ts';
import { openStore } from '#src/store/open.ts';
import { start } from '#test/support/alerts.ts';
import { onStores } from '#test/support/databases.ts';
import { seeded } from '#test/support/random.ts';

const window = 15 * minute;
const limit = 9;
const reserve = 4;
const ada: Payer = { chat: 'ada', person: 'ada' };

onStores('the budget of several processes', (url, dialect) => {
  /** One process whose clock the test sets. */
  async function alone() {
    const store = await openStore(await url());
    onTestFinished(() => store.close());
    let now = start;
    const market = realTime({ now: () => now });
    const budget = createRequestBudget('k', {
      limit,
      window,
      reserve,
      log: store.requests,
      market: () => market,
    });
    return {
      poll: () => budget.take('/x', () => ['poll']),
      recorded: () => store.requests.load('k', 0),
      advance(ms: number) {
        now += ms;
      },
    };
  }

  it('after the clock steps back, future requests are forgotten and not counted again when that time comes', async () => {
    const { poll, recorded, advance } = await alone();
    for (let n = 0; n < limit - reserve; n += 1) await poll();
    advance(-10 * minute);
    for (let n = 0; n < limit - reserve - 1; n += 1) await poll();
    advance(10 * minute);
    await poll();
    await expect(poll()).rejects.toMatchObject({ reason: 'rate_limited', retryAfter: 5 * minute });
    expect(await recorded()).toHaveLength(limit - reserve);
  });

  it('after the clock steps back, requests that had left the window count again, with the right end', async () => {
    const { poll, advance } = await alone();
    for (let n = 0; n < limit - reserve; n += 1) await poll();
    advance(window);
    await poll();
    advance(-10 * minute);
    await expect(poll()).rejects.toMatchObject({ reason: 'rate_limited', retryAfter: 10 * minute });
  });

  it('a request that was never sent is given back, one of several with the same time', async () => {
    const { poll, recorded } = await alone();
    const paid = await poll();
    for (let n = 1; n < limit - reserve; n += 1) await poll();
    await paid.giveBack();
    expect(await recorded()).toHaveLength(limit - reserve - 1);
    await poll();
    await expect(poll()).rejects.toMatchObject({ reason: 'rate_limited' });
  });

  const ask = (budget: RequestBudget, payer: Payer): Promise<boolean> =>
    budget
      .take('/x', () => [payer])
      .then(
        () => true,
        () => false,
      );

  if (dialect === 'sqlite') {
    it('a budget used by one process reads earlier requests once', async () => {
      const store = await openStore(await url());
      onTestFinished(() => store.close());
      const load = vi.fn(store.requests.load);
      const log = { ...store.requests, load };
      const budget = createRequestBudget('k', {
        limit,
        window,
        reserve,
        log,
        market: () => realTime({ now: () => start }),
      });
      for (let n = 0; n < limit - reserve; n += 1) expect(await ask(budget, 'poll')).toBe(true);
      expect(await ask(budget, 'poll')).toBe(false);
      expect(load).toHaveBeenCalledTimes(2);
    });
    return;
  }

  /** Processes that each have a clock of their own. */
  async function processes() {
    const at = await url();
    let now = start;
    const open = async (ahead: number) => {
      const store = await openStore(at);
      onTestFinished(() => store.close());
      const market = realTime({ now: () => now + ahead });
      const budget = createRequestBudget('k', {
        limit,
        window,
        reserve,
        log: store.requests,
        market: () => market,
      });
      return { store, budget };
    };
    const [first, second] = [await open(0), await open(5)];
    return {
      first: first.budget,
      second: second.budget,
      store: first.store,
      advance(ms: number) {
        now += ms;
      },
    };
  }

  it('no window exceeds the limit, and polls never exceed their share, whatever the processes do', async () => {
    const { first, second, store, advance } = await processes();
    const random = seeded(7);
    for (let turn = 0; turn < 12; turn += 1) {
      await Promise.all(
        Array.from({ length: 4 }, () =>
          ask(random() < 0.5 ? first : second, random() < 0.7 ? 'poll' : { chat: `chat ${random()}` }),
        ),
      );
      advance(Math.ceil(random() * 4 * minute));
    }
    const polls = await store.requests.load('k', 0);
    const questions = await store.requests.load('k questions', 0);
    const most = (times: readonly number[]) =>
      Math.max(...times.map((to) => times.filter((at) => at > to - window && at <= to).length));
    expect(most(polls)).toBe(limit - reserve);
    expect(most([...polls, ...questions])).toBeLessThanOrEqual(limit);
    expect(polls.length).toBeGreaterThan(limit - reserve);
  });

  it('what one process has used is unavailable to the other until the window has passed, even after a kill', async () => {
    const { first, second, advance } = await processes();
    for (let n = 0; n < limit - reserve; n += 1) expect(await ask(first, 'poll')).toBe(true);
    advance(minute);
    await expect(second.take('/x', () => ['poll'])).rejects.toMatchObject({ reason: 'rate_limited' });
    expect(second.state()).toEqual({ used: limit - reserve, limit, reserved: reserve, window });
    advance(window - minute);
    expect(await ask(second, 'poll')).toBe(true);
  });

  it('the reserve for people holds in every process, and is shared among all who ask', async () => {
    const { first, second } = await processes();
    for (let n = 0; n < limit; n += 1) await ask(first, 'poll');
    expect(await ask(second, ada)).toBe(true);
    expect(await ask(first, { chat: 'bob', person: 'bob' })).toBe(true);
    expect(await ask(second, ada)).toBe(true);
    await expect(second.take('/x', () => [ada])).rejects.toMatchObject({ reason: 'share_spent' });
    expect(await ask(first, 'poll')).toBe(false);
  });
});
