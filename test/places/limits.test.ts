import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import type { Hook } from '#src/alert/hook.ts';
import type { LivingBoard } from '#src/alert/living-board.ts';
import { type Receiver, receiverKey, type Silence } from '#src/alert/subscription.ts';
import { createApiChange } from '#src/app/console/api-changes.ts';
import { readPlaces } from '#src/app/files/read.ts';
import { UserError } from '#src/language/errors.ts';
import { createBoard } from '#src/places/boards.ts';
import { lengths, limits, maxNames, maxOpenCalls, maxPostsADay, spans } from '#src/places/limits.ts';
import { readStyle } from '#src/places/templates.ts';
import web from '#src/platforms/web/platform.ts';
import type { ApiChangeName } from '#src/platforms/web/ports/api.ts';
import type { Caller } from '#src/shell/command.ts';
import { editingOf } from '#src/shell/editing.ts';
import { subscription } from '#test/support/alerts.ts';
import { ask, caller, commandContext } from '#test/support/commands.ts';
import { now } from '#test/support/data.ts';
import { hook } from '#test/support/hooks.ts';
import { type MemoryStore, memoryStore } from '#test/support/memory-store.ts';
import { rule } from '#test/support/rules.ts';

/** Channels of one guild. */
const channel = (n: number): Receiver => ({
  notifier: 'discord',
  address: { channelId: String(n), guildId: '9' },
});
const who: Caller = { ...caller, receiver: channel(0) };
const universe = Array.from({ length: 120 }, (_, n) => `C${n}USDT`);

type Kind = 'subscriptions' | 'rules' | 'hooks' | 'silences' | 'boards';

/** Each limit as it is promised: of one chat, and of its account. */
const promised: readonly (readonly [kind: Kind, chat: number, account?: number])[] = [
  ['subscriptions', 50, 500],
  ['rules', 50, 500],
  ['hooks', 20, 100],
  ['silences', 50],
  ['boards', 10, 50],
];

/** Makes things that differ from those of the doors. */
const made = (kind: Kind, count: number, at: (n: number) => Receiver) => {
  const each = Array.from({ length: count }, (_, n) => n);
  const id = (n: number) => `made${n}`;
  const of = {
    subscriptions: () =>
      each.map((n) => ({ ...subscription({ receiver: at(n), symbols: [`S${n}`] }), id: id(n) })),
    rules: () => each.map((n) => rule({ id: id(n), receiver: at(n), condition: `funding.z > ${100 + n}` })),
    hooks: (): Hook[] => each.map((n) => ({ ...hook(), id: id(n), receiver: at(n), name: `made ${n}` })),
    silences: (): Silence[] =>
      each.map((n) => ({
        ...{ id: id(n), receiver: at(n), kinds: ['*'], symbols: [`S${n}`] },
        ...{ startsAt: now, endsAt: now + 9e9, createdBy: 'ada' },
      })),
    boards: (): LivingBoard[] =>
      each.map((n) => ({
        ...{ id: id(n), receiver: at(n), line: `funding s${n}`, form: 'message', daily: null },
        ...{ createdBy: 'ada', createdAt: now },
      })),
  };
  return memoryStore({ [kind]: of[kind]() });
};

type Door = (store: MemoryStore, n: number) => Promise<string | undefined>;

/** A command line: returns why it was refused. */
const chat =
  (line: (n: number) => string): Door =>
  async (store, n) =>
    (await ask(line(n), { store, caller: who, universe })).failure?.code;

const api =
  (name: ApiChangeName, input: (n: number) => Readonly<Record<string, unknown>>): Door =>
  async (store, n) => {
    const change = createApiChange({
      contextOf: async (given) => commandContext({ store, caller: given, universe }),
    });
    return codeOf(change(name, who, { id: '', input: input(n) }));
  };

/** Returns why something was refused; undefined if it was done. */
async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof UserError) return error.code;
    throw error;
  }
}

const imported = (content: (n: number) => object): Door =>
  chat((n) => `import confirm=yes ${JSON.stringify({ tocsin: 1, ...content(n) })}`);

const doors: Readonly<Record<Kind, Readonly<Record<string, Door>>>> = {
  subscriptions: {
    command: chat((n) => `subscribe funding-extreme c${n}`),
    API: api('createSubscription', (n) => ({ kinds: 'funding-extreme', symbols: `c${n}` })),
    import: imported((n) => ({ subscriptions: [{ kinds: ['funding-extreme'], symbols: [`C${n}USDT`] }] })),
  },
  rules: {
    command: chat((n) => `alert create funding.z above=${n} c1`),
    API: api('createRule', (n) => ({ metric: 'funding.z', above: String(n), symbols: 'c1' })),
    import: imported((n) => ({ alerts: [{ when: `funding.z > ${n}`, symbols: ['C1USDT'] }] })),
  },
  hooks: { command: chat((n) => `hook create name=h${n}`) },
  silences: {
    command: chat((n) => `silence c${n} 1h`),
    API: api('createSilence', (n) => ({ symbol: `c${n}`, for: '1h' })),
  },
  boards: { command: async (store, n) => codeOf(pin(`funding c${n}`, store)) },
};

const pin = (line: string, store = memoryStore()) =>
  createBoard({ line, form: 'message', daily: null }, editingOf(commandContext({ store, caller: who })));

describe('of each kind a chat may have so many and not one more', () => {
  const rows = promised.flatMap(([kind, most]) =>
    Object.entries(doors[kind]).map(([name, door]) => ({ kind, most, name, door })),
  );
  it.each(rows)('$most $kind, by $name', async ({ kind, most, door }) => {
    const store = made(kind, most - 1, () => who.receiver);
    expect(await door(store, 1)).toBeUndefined();
    expect(await door(store, 2)).toBe('limit');
    expect(store.kept[kind]).toHaveLength(most);
  });

  it.each(
    promised.flatMap(([kind, , account]) =>
      account === undefined
        ? []
        : Object.entries(doors[kind]).map(([name, door]) => ({ kind, account, name, door })),
    ),
  )('$account $kind in all channels of a guild, by $name', async ({ kind, account, door }) => {
    const store = made(kind, account - 1, (n) => channel(1 + (n % 20)));
    expect(await door(store, 1)).toBeUndefined();
    expect(await door(store, 2)).toBe('limit');
    expect(store.kept[kind]).toHaveLength(account);
  });

  it.each<[string, (from: number, to: number) => string]>([
    ['command', (from, to) => `watchlist add ${universe.slice(from, to).join(',')}`],
    [
      'import',
      (from, to) =>
        `import confirm=yes ${JSON.stringify({ tocsin: 1, watchlist: universe.slice(from, to) })}`,
    ],
  ])('100 markets in the watchlist, by %s', async (_, line) => {
    const store = memoryStore();
    const given = { store, caller: who, universe };
    expect((await ask(line(0, 60), given)).failure).toBeUndefined();
    expect((await ask(line(60, 100), given)).failure).toBeUndefined();
    expect((await ask(line(100, 101), given)).failure?.code).toBe('limit');
    expect(store.kept.watchlists.get(receiverKey(who.receiver))).toHaveLength(100);
  });

  it('files are not counted, but a watchlist in one has a limit, too', async () => {
    const flaws = async (text: string) => {
      const read = { platforms: [web], kinds: commandContext().kinds, universe, now };
      const texts = { 'team.yaml': `- at: web:here\n  ${text}\n` };
      return (await readPlaces({ texts, flaws: [], variables: {} }, read)).flaws.length;
    };
    const lines = universe.slice(0, 51).map((symbol) => `funding-extreme ${symbol}`);
    expect(await flaws(`subscriptions: ${JSON.stringify(lines)}`)).toBe(0);
    expect(await flaws(`watchlist: ${JSON.stringify(universe.slice(0, 100))}`)).toBe(0);
    expect(await flaws(`watchlist: ${JSON.stringify(universe.slice(0, 101))}`)).toBe(1);
    const filed = made('rules', 60, () => who.receiver).kept.rules.map((each) => ({ ...each, file: 'x' }));
    const store = memoryStore({ rules: filed });
    expect(await doors.rules.command?.(store, 1)).toBeUndefined();
  });
});

const text = (length: number) => 'x'.repeat(length);
const rest = 'symbols=c1';

test.each<[what: string, within: string, beyond: string]>([
  ['an alert’s name', `name=${text(80)}`, `name=${text(81)}`],
  ['how long it must have been true', 'for=7d', 'for=169h'],
  ['how long it stays', 'until=365d', 'until=366d'],
  ['how short it stays', 'until=1h', 'until=59m'],
  ['the names of its markets', universe.slice(0, 100).join(','), universe.slice(0, 101).join(',')],
])('an alert has limits: %s', async (_, within, beyond) => {
  const line = (given: string) =>
    `alert create funding.z above=1 ${given.includes('USDT') ? `symbols=${given}` : `${rest} ${given}`}`;
  const given = () => ({ store: memoryStore(), universe });
  expect((await ask(line(within), given())).failure).toBeUndefined();
  expect((await ask(line(beyond), given())).failure?.code).toBe('invalid');
});

test.each<[what: string, within: string, beyond: string]>([
  ['a long silence', 'silence for=30d', 'silence for=721h'],
  ['a short silence', 'silence for=1m', 'silence for=59s'],
  ['a hook’s name', `hook create name=${text(60)}`, `hook create name=${text(61)}`],
  ['a hook’s template', `hook create a title=${text(200)}`, `hook create a title=${text(201)}`],
  ['a hook’s alert', 'hook create a for=30d', 'hook create a for=31d'],
  ['a hook’s short alert', 'hook create a for=1m', 'hook create a for=59s'],
  ['posts a day', 'settings budget=999', 'settings budget=1000'],
])('there are limits: %s', async (_, within, beyond) => {
  expect((await ask(within, { store: memoryStore() })).failure).toBeUndefined();
  expect((await ask(beyond, { store: memoryStore() })).failure?.code).toBe('invalid');
});

test.each<[what: string, within: object, beyond: object]>([
  ['a name', { name: text(80) }, { name: text(81) }],
  ['how long it must have been true', { for: 7 * 86_400_000 }, { for: 7 * 86_400_000 + 1 }],
])('an alert that is imported has the same limits: %s', async (_, within, beyond) => {
  const line = (given: object) =>
    `import confirm=yes ${JSON.stringify({ tocsin: 1, alerts: [{ when: 'funding.z > 1', symbols: ['*'], ...given }] })}`;
  expect((await ask(line(within), { store: memoryStore() })).failure).toBeUndefined();
  expect((await ask(line(beyond), { store: memoryStore() })).failure?.code).toBe('invalid');
});

const url = (length: number) => `https://x.org/${text(length - 'https://x.org/'.length)}`;

test.each<[what: string, within: Parameters<typeof readStyle>[0], beyond: Parameters<typeof readStyle>[0]]>([
  ['a template', { template: `{title}${text(993)}` }, { template: `{title}${text(994)}` }],
  [
    'a template’s lines',
    { template: `{title}${'\\nx'.repeat(19)}` },
    { template: `{title}${'\\nx'.repeat(20)}` },
  ],
  ['a template’s parts', { template: '{title}'.repeat(30) }, { template: '{title}'.repeat(31) }],
  ['a footer', { footer: text(100) }, { footer: text(101) }],
  ['a footer’s link', { footer: `Us ${url(200)}` }, { footer: `Us ${url(201)}` }],
])('a style has limits: %s', async (_, within, beyond) => {
  expect(readStyle(within, undefined)).toBeDefined();
  expect(await codeOf((async () => readStyle(beyond, undefined))())).toBe('limit');
});

test('a board’s question has a limit', async () => {
  expect(await codeOf(pin(text(200)))).toBeUndefined();
  expect(await codeOf(pin(text(201)))).toBe('limit');
});

const page = join(import.meta.dirname, '../../docs/operations.md');

test('docs/operations.md lists every limit; `npm run generate` writes it', async () => {
  const before = readFileSync(page, 'utf8');
  const section =
    /(?<=\| what \| a chat \| a server, or a chat with its topics \|\n\|---\|---\|---\|\n)(?:\|.*\n)+/;
  const names: Readonly<Record<keyof typeof limits, string>> = {
    subscriptions: 'subscriptions',
    rules: 'own alerts',
    hooks: 'hooks',
    silences: 'silences',
    boards: 'boards that are kept current',
    watchlist: 'markets in the watchlist',
  };
  const rows = Object.entries(limits).map(
    ([name, { chat, ...more }]) =>
      `| ${names[name as keyof typeof limits]} | ${chat} | ${'account' in more ? more.account : ''} |`,
  );
  const span = ({ min, max }: { readonly min: string; readonly max: string }) => `${min} to ${max}`;
  const others = [
    ['names in one list', maxNames],
    ['open calls of one person or hook', maxOpenCalls],
    ['posts a day', maxPostsADay],
    ['a silence', span(spans.silence)],
    ['`for` of an alert', span(spans.ruleHold)],
    ['`until` of an alert', span(spans.ruleUntil)],
    ['`for` of a hook', span(spans.hookLasts)],
    ['the name of an alert', `${lengths.ruleName} characters`],
    ['the name of a hook', `${lengths.hookName} characters`],
    ['a template of a hook', `${lengths.hookTemplate} characters`],
  ].map(([what, most]) => `| ${what} | ${most} | |`);
  expect(before).toMatch(section);
  const after = before.replace(section, () => `${[...rows, ...others].join('\n')}\n`);
  await expect(after).toMatchFileSnapshot(page);
});
