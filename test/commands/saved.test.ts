import { describe, expect, test } from 'vitest';
import { ApiError, DatabaseLost } from '#src/runtime/errors.ts';
import type { CommandStore } from '#src/store/ports.ts';
import { ask, askReporting, commandContext } from '#test/support/commands.ts';
import { dataClient } from '#test/support/data.ts';
import { memoryStore } from '#test/support/memory-store.ts';

const never = new Promise<never>(() => {});

/** Returns a data client whose methods all answer in this way. */
const answering = (answer: () => Promise<never>): ReturnType<typeof dataClient> =>
  new Proxy(dataClient(), { get: () => answer });

/** A subscription and an alert of the chat, each line with their ids. */
async function prepared() {
  const store = memoryStore();
  await ask('subscribe funding-extreme btc', { store });
  await ask('alert create price.last above=90000 btc', { store });
  await ask('silence oi-momentum for=1h', { store });
  await ask('hook create breakouts', { store });
  const { receiver } = commandContext().caller;
  const [subscription] = await store.subscriptions.of(receiver);
  const [rule] = await store.rules.of(receiver);
  const [hook] = await store.hooks.of(receiver);
  const fill = (line: string) =>
    line
      .replace('SUBSCRIPTION', subscription?.id ?? '')
      .replace('RULE', rule?.id ?? '')
      .replace('HOOK', hook?.id ?? '');
  return { store, fill };
}

/** Every command that changes something. */
const changes = [
  'subscribe oi-momentum eth',
  'edit SUBSCRIPTION severity=critical',
  'unsubscribe SUBSCRIPTION',
  'alert create price.last above=100k btc',
  'alert edit RULE above=95000',
  'alert pause RULE',
  'alert delete RULE',
  'hook create levels',
  'hook test HOOK',
  'hook delete HOOK',
  'silence funding-extreme for=1h',
  'unsilence all',
  'watchlist add eth',
  'settings theme=light',
  'pause',
  'forget place confirm=yes',
  'forget me confirm=yes',
];

describe('what is saved is never reported as failed', () => {
  /** Runs the line over a store that stores changes, and after the first does nothing else any more. */
  async function run(line: string, { afterwards }: { readonly afterwards: () => Promise<never> }) {
    const { store, fill } = await prepared();
    let isStored = false;
    const broken = (part: object): object =>
      new Proxy(part, {
        get(target, name) {
          const value = Reflect.get(target, name);
          if (isStored && typeof value === 'function') return afterwards;
          return typeof value === 'object' && value !== null ? broken(value) : value;
        },
      });
    const stores =
      <Given extends unknown[], Result>(change: (...given: Given) => Promise<Result>) =>
      async (...given: Given) => {
        const result = await change(...given);
        isStored = true;
        return result;
      };
    const parts = Object.entries(store).map(([name, part]) => [
      name,
      ['change', 'forgetPlace', 'forgetPerson'].includes(name)
        ? stores(part as (...given: unknown[]) => Promise<unknown>)
        : typeof part === 'object'
          ? broken(part as object)
          : part,
    ]);
    const { later: _, ...card } = await askReporting(fill(line), {
      store: Object.fromEntries(parts) as CommandStore,
      data: answering(afterwards),
      soon: async (work) =>
        Promise.race([work, new Promise<undefined>((done) => setImmediate(done, undefined))]),
    });
    return { card, isStored: () => isStored };
  }

  test.each(changes)('whatever breaks after it: %s', async (line) => {
    for (const error of [new Error('the database is away'), new ApiError('/candles', 'unreachable', 'no')]) {
      const { card, isStored } = await run(line, { afterwards: () => Promise.reject(error) });
      expect(isStored()).toBe(true);
      expect(card.forAsker).toBeUndefined();
      expect(`${card.title} ${card.summary}`).not.toMatch(/no answer|broke|Can’t|didn’t understand/);
    }
  });

  test('an alert is answered at its commit, and the preview follows', async () => {
    const store = memoryStore();
    const { later, ...first } = await ask('alert create price.last above=100k btc', {
      store,
      data: answering(() => never),
      soon: async () => undefined,
    });
    expect(await store.rules.of(commandContext().caller.receiver)).toHaveLength(1);
    expect([first.title, first.summary]).toEqual([
      'Alert created',
      expect.stringContaining('Alert saved. The preview is still running.'),
    ]);
    expect(later).toBeInstanceOf(Promise);
  });

  test('a commit without an answer may have stored the change, and says so', async () => {
    const store = memoryStore();
    const change: CommandStore['change'] = async (author, work) => {
      await store.change(author, work);
      throw new Error('the connection was lost');
    };
    const card = await askReporting('watchlist add eth', { store: { ...store, change } });
    expect(card).toMatchObject({ title: 'It may have been saved', summary: expect.stringContaining('k3f9') });
  });

  test.each(changes)('what a lost database refuses at its commit was not saved: %s', async (line) => {
    const { store, fill } = await prepared();
    const refuse = () => Promise.reject(new DatabaseLost('the file was deleted'));
    const change: CommandStore['change'] = async (author, work) => {
      await store.change(author, work);
      return refuse();
    };
    const lost = { ...store, change, forgetPlace: refuse, forgetPerson: refuse };
    expect(await askReporting(fill(line), { store: lost })).toMatchObject({
      title: expect.stringMatching(/: not saved$/),
      summary: expect.stringContaining('nothing can be saved'),
      forAsker: true,
    });
  });

  test('a refusal within the change is a refusal', async () => {
    const card = await ask('unsubscribe nothing');
    expect(card).toMatchObject({ title: 'Can’t do that', forAsker: true });
  });
});
