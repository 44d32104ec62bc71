import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cardJson, renderJson } from '#src/card/render-json.ts';
import { sayCard } from '#src/card/say-card.ts';
import { UserError } from '#src/language/errors.ts';
import { plainReader, say } from '#src/language/say.ts';
import { renderText } from '#src/platforms/terminal/render.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { hour } from '#src/runtime/units.ts';
import type { BotStatus } from '#src/shell/command.ts';
import { fieldsOf } from '#src/shell/fields.ts';
import { readRequest } from '#src/shell/request.ts';
import { isQuestion, managerRights, memberRights, viewerRights } from '#src/shell/rights.ts';
import { runCommand } from '#src/shell/run.ts';
import { helpOn } from '#src/shell/usage.ts';
import { silence, subscription } from '#test/support/alerts.ts';
import { codePoint } from '#test/support/code-point.ts';
import { ask, askReporting, botStatus, caller, commandContext, commands } from '#test/support/commands.ts';
import { dataClient, now, universe } from '#test/support/data.ts';
import { memoryStore } from '#test/support/memory-store.ts';

const noBug = (error: unknown): string => {
  throw error;
};

/**
 * Values for required inputs, so that every command can run with nothing else given: the id is that of anything stored here.
 */
const required: Readonly<Record<string, string>> = { id: 's0', file: '{"tocsin":1}', symbols: 'btc' };
/** Commands that refuse here, by what they say: roles are of servers on Discord, and no market is followed. */
const refusing: Readonly<Record<string, string>> = {
  ping: 'Only servers on Discord',
  pings: 'Only servers on Discord',
  profile: 'Only servers on Discord',
  test: 'These kinds have samples',
  unfollow: 'You do not follow BTC',
};
const plainest = (command: (typeof commands)[number]): string =>
  [
    command.name,
    ...fieldsOf(command).flatMap((field) => (field.required ? [required[field.key] ?? '?'] : [])),
  ].join(' ');

const theirs = { notifier: 'web', address: { room: 'elsewhere' } };
const someSettings = () => {
  const places = [caller.receiver, theirs].map((receiver, index) => ({ receiver, id: `s${index}` }));
  return memoryStore({
    subscriptions: places.map(({ receiver, id }) => ({ ...subscription({ receiver }), id })),
    silences: places.map((place) => silence({ ...place, startsAt: now, endsAt: now + hour })),
    boards: places.map((place) => ({
      ...{ ...place, line: 'market', form: 'message', daily: null },
      ...{ createdBy: 'ada', createdAt: now },
    })),
  });
};

/** Words that a person might type, and words that nobody should. */
const word = fc.oneof(
  fc.constantFrom(
    ...commands.map(({ name }) => name),
    ...universe,
    'btc',
    'all',
    '4h',
    'eth,sol',
    'critical',
  ),
  fc.constantFrom(
    'symbol=btc',
    'id=',
    'kinds=all',
    'for=99y',
    'limit=1e9',
    '__proto__=x',
    'constructor',
    '"',
    "'",
    '=',
    '@',
    '/',
  ),
  fc.string({ maxLength: 30 }),
  fc.string({ unit: codePoint, maxLength: 10 }),
);

describe.each(commands.map((command) => ({ name: command.name, command })))('$name', ({ name, command }) => {
  test('has a description, and so has every input', () => {
    expect(say(command.description, plainReader).length).toBeGreaterThan(10);
    for (const { key, description } of fieldsOf(command))
      expect(say(description, plainReader), key).not.toBe('');
  });

  test('has a help card that renders and names every input', () => {
    const text = renderText(sayCard(helpOn(command), plainReader), { columns: 80 });
    for (const { key } of fieldsOf(command)) expect(text).toContain(key);
  });

  test('with defaults returns a card with its source that every renderer accepts', async () => {
    const card = await ask(plainest(command), { store: someSettings() });
    expect(card.source).toBe('simulated, 240 ×');
    const refusal = refusing[name];
    if (refusal !== undefined) expect(card.summary).toContain(refusal);
    else expect(card.title).not.toMatch(/Can’t|didn’t understand|no answer|broke|No price known/);
    expect(cardJson.safeParse(renderJson(card)).success).toBe(true);
    const text = renderText(card, { columns: 80 });
    expect(text).not.toMatch(/NaN|undefined|Invalid|\[object/);
  });

  test('returns a card that says so and when to ask again if the data service does not respond', async () => {
    let asked = 0;
    const error = new ApiError('/any', 'unreachable', 'refused', { retryAfter: 90_000 });
    const data = new Proxy(dataClient(), {
      get: () => () => {
        asked++;
        return Promise.reject(error);
      },
    });
    const card = await ask(plainest(command), { data, store: someSettings() });
    const text = renderText(card, { columns: 200 });
    if (asked > 0) expect(text).toContain('Try again in 1 min 30 s');
    else expect(text).not.toMatch(/no answer|Not available/);
  });

  test('rejects garbage with a UserError and with no other error', async () => {
    const context = commandContext();
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 6 }), async (words) => {
        const line = [name, ...words].join(' ');
        try {
          expect((await readRequest(commands, { request: line, asking: context })).command.name).toBe(name);
        } catch (error) {
          expect(error).toBeInstanceOf(UserError);
          expect((error as UserError).message).not.toBe('');
        }
      }),
      { numRuns: 100 },
    );
  });

  test('never changes the settings of another place', async () => {
    const touched = (store: ReturnType<typeof someSettings>) => ({
      subscriptions: store.kept.subscriptions.filter(({ receiver }) => receiver === theirs),
      silences: store.kept.silences.filter(({ receiver }) => receiver === theirs),
      boards: store.kept.boards.filter(({ receiver }) => receiver === theirs),
      others: [...store.kept.subscriptions, ...store.kept.silences].filter(
        ({ receiver }) => receiver !== theirs && receiver !== caller.receiver,
      ),
    });
    const before = touched(someSettings());
    for (const words of ['', 'all', 's1', 'id=s1', 'btc', 'symbol=eth']) {
      const store = someSettings();
      await ask(`${name} ${words}`, { store });
      expect(touched(store)).toEqual(before);
    }
  });
});

test.each(commands.filter(({ takes }) => takes === 'manage'))(
  '$name is refused to everyone who does not manage the place',
  async (command) => {
    const store = someSettings();
    const kept = structuredClone(store.kept);
    const card = await ask(plainest(command), { store, caller: { ...caller, rights: memberRights } });
    expect(card).toMatchObject({
      title: 'Can’t do that',
      summary: expect.stringContaining('manage'),
    });
    expect(store.kept).toEqual(kept);
  },
);

test.each(commands.filter((command) => !isQuestion(command)))(
  '$name is refused to those who may only ask, even for settings of their own',
  async (command) => {
    const store = someSettings();
    const kept = structuredClone(store.kept);
    const asker = { ...caller, rights: viewerRights };
    const card = await ask(plainest(command), { store, caller: asker });
    expect(card).toMatchObject({
      title: 'Can’t do that',
      summary: expect.stringContaining('you may look and ask'),
    });
    expect(store.kept).toEqual(kept);
  },
);

test.each(commands.filter(({ takes }) => takes === 'operate'))(
  '$name is refused to everyone who does not run the bot, even in their own place',
  async (command) => {
    const store = someSettings();
    const kept = structuredClone(store.kept);
    const card = await ask(plainest(command), { store, caller: { ...caller, rights: managerRights } });
    expect(card).toMatchObject({ title: 'Can’t do that', summary: expect.stringContaining('operator') });
    expect(store.kept).toEqual(kept);
  },
);

test('any line at all ends in a card', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 6 }), async (words) => {
      const card = await ask(words.join(' '));
      expect(card.title).not.toBe('');
    }),
    { numRuns: 1_000 },
  );
});

test('named inputs of any type end in a card, too', async () => {
  const input = fc.dictionary(
    fc.constantFrom('symbol', 'symbols', 'kinds', 'limit', 'id', 'for', 'hours', 'zone', 'x', '__proto__'),
    fc.oneof(fc.anything({ maxDepth: 1 }), word),
    { maxKeys: 4 },
  );
  const name = fc.constantFrom(...commands.map((command) => command.name));
  await fc.assert(
    fc.asyncProperty(name, input, async (name, input) => {
      const card = await runCommand(commands, {
        request: { name, input },
        context: commandContext(),
        report: noBug,
      });
      expect(card.source).toBe('simulated, 240 ×');
    }),
    { numRuns: 1_000 },
  );
});

test('a bug is reported, and the card shows the reference of the report', async () => {
  const bug = new TypeError('a bug');
  const { reported, ...card } = await askReporting('market', { data: dataClient({ marketOverview: bug }) });
  expect(reported).toEqual([bug]);
  expect(card.summary).toContain('k3f9');
  expect(JSON.stringify(card)).not.toContain('a bug');
});

test('if preferences cannot be read, the answer comes in the language that the platform names', async () => {
  const store = memoryStore();
  const away = new Error('the database is away');
  const { reported, title } = await askReporting('funding btc', {
    caller: { ...caller, language: 'es' },
    store: { ...store, preferences: { ...store.preferences, of: () => Promise.reject(away) } },
  });
  expect(title).toMatch(/^Funding de BTC/);
  expect(new Set(reported)).toEqual(new Set([away]));
});

test('status shows that a platform has refused its token', async () => {
  const status = { ...botStatus, refused: [{ platform: 'telegram', reason: 'the token is not accepted' }] };
  const card = await ask('status', { status: async () => status });
  expect(card.facts).toContainEqual({ name: expect.any(String), value: 'the token is not accepted' });
});

test('status marks a count that was cut as a minimum', async () => {
  const status = { ...botStatus, outbox: { waiting: 10_000, more: true as const, oldest: null } };
  const card = await ask('status', { status: async () => status });
  expect(card.facts).toContainEqual({ name: expect.any(String), value: '10,000+ waiting' });
});

test('an answer is still given if reading the status fails', async () => {
  const { reported, title } = await askReporting('market', {
    status: () => Promise.reject(new Error('closed')),
    data: dataClient({ marketOverview: new ApiError('/market/overview', 'server_error', '500') }),
  });
  expect(title).toBe('Market data is unavailable right now');
  expect(reported).toHaveLength(1);
});

test('a card without its data says how old the newest data is, and nothing that nobody can use', async () => {
  const card = await ask('market', {
    data: dataClient({ marketOverview: new ApiError('/market/overview', 'server_error', '500') }),
  });
  expect([card.title, card.summary, card.facts]).toEqual([
    'Market data is unavailable right now',
    'Last update 3 min ago.\nThe data service failed.\nTry again in 1 min.',
    undefined,
  ]);
});

test.each<[string, Partial<BotStatus>, string, string]>([
  ['has not begun to answer', { ready: false }, 'Market data is still loading', 'Try again in 5 s.'],
  [
    'still loads its history',
    { loaded: 0.4 },
    'Market data is still loading',
    'Its history is still loading: 40%.\nTry again in 5 s.',
  ],
  [
    'has no answer to this alone',
    {},
    'Not available',
    'The data service has no answer to this yet.\nTry again in 5 s.',
  ],
  [
    'has nothing to answer with',
    { feeds: botStatus.feeds.map((feed) => ({ ...feed, fresh: false })) },
    'Market data is unavailable right now',
    'Last update 3 min ago.\nThe data service has no answer to this yet.\nTry again in 5 s.',
  ],
])('a service that says when to ask again, as it %s, has not failed', async (_, status, title, summary) => {
  const notYet = new ApiError('/market/overview', 'server_error', 'no price yet', { retryAfter: 5_000 });
  const card = await ask('market', {
    status: async () => ({ ...botStatus, ...status }),
    data: dataClient({ marketOverview: notYet }),
  });
  expect([card.title, card.summary]).toEqual([title, summary]);
});
