import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { receiverKey } from '#src/alert/subscription.ts';
import { type ReadContext, readPlaces } from '#src/app/files/read.ts';
import discord from '#src/platforms/discord/platform.ts';
import telegram from '#src/platforms/telegram/platform.ts';
import web from '#src/platforms/web/platform.ts';
import webhook from '#src/platforms/webhook/platform.ts';
import { Secret } from '#src/runtime/secret.ts';
import { hour, minute } from '#src/runtime/units.ts';
import type { Caller } from '#src/shell/command.ts';
import { flawText } from '#src/shell/sheet.ts';
import { subscription } from '#test/support/alerts.ts';
import { ask, caller, commandContext } from '#test/support/commands.ts';
import { now, universe } from '#test/support/data.ts';
import { memoryStore } from '#test/support/memory-store.ts';
import { rule } from '#test/support/rules.ts';

const { kinds } = commandContext();
const context: ReadContext = { platforms: [discord, telegram, web, webhook], kinds, universe, now };
const hook = 'https://example.com/hooks/a-secret-path';

const read = (texts: Record<string, string> | string, over: Partial<ReadContext> = {}) =>
  readPlaces(
    {
      texts: typeof texts === 'string' ? { 'team.yaml': texts } : texts,
      flaws: [],
      variables: { TOCSIN_PLACE_HOOK: new Secret(hook) },
    },
    { ...context, ...over },
  );
const flaws = async (texts: Parameters<typeof read>[0]) => (await read(texts)).flaws.map(flawText);
const variable = (name: string) => `$\{${name}}`;
const at = (address: string, rest = 'subscriptions: [all]') => `- at: ${address}\n  ${rest}\n`;

describe('the content of a file', () => {
  it('can be written as commands or in the form of an export', async () => {
    const { wanted, flaws } = await read(`
- at: telegram:-1001234567890
  subscriptions:
    - preset=standard
    - subscribe funding-extreme btc severity=critical quiet=22-7 zone=Europe/Berlin
    - { preset: quiet, symbols: [eth, top20], digest: { every: day, zone: UTC } }
  alerts:
    - btc > 100000 for=10m
    - when: funding.z > 2.5
      symbols: [BTC]
      for: 90s
      until: 2999-01-01T00:00:00Z
      name: crowded
  watchlist: [eth, BTC, ETHUSDT]
`);
    expect(flaws).toEqual([]);
    const common = {
      receiver: { notifier: 'telegram', address: { chatId: '-1001234567890' } },
      file: 'team.yaml',
    };
    expect(wanted.subscriptions.map(({ thing, origin }) => [origin.line, thing])).toMatchObject([
      [
        4,
        {
          ...common,
          kinds: expect.arrayContaining(['data-quality', 'funding-extreme']),
          minSeverity: 'warning',
        },
      ],
      [
        5,
        {
          symbols: ['BTCUSDT'],
          minSeverity: 'critical',
          quietHours: { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' },
        },
      ],
      [
        6,
        {
          kinds: ['regime-transition'],
          symbols: ['ETHUSDT', 'top20'],
          digest: { every: 'day', at: '08:00' },
        },
      ],
    ]);
    expect(wanted.rules.map(({ thing, origin }) => [origin.line, thing])).toMatchObject([
      [
        8,
        {
          ...common,
          condition: 'price.last > 100000',
          symbols: ['BTCUSDT'],
          hold: 10 * minute,
          mode: 'always',
        },
      ],
      [9, { ...common, name: 'crowded', hold: 90_000, expiresAt: Date.UTC(2999, 0), severity: 'warning' }],
    ]);
    expect(wanted.watchlists).toEqual([
      { thing: { ...common, symbols: ['ETHUSDT', 'BTCUSDT'] }, origin: { file: 'team.yaml', line: 14 } },
    ]);
  });

  it.each([
    [
      'a channel’s link',
      'https://discord.com/channels/123456789012345678/223456789012345678',
      'discord',
      { guildId: '123456789012345678', channelId: '223456789012345678' },
    ],
    [
      'a thread behind its channel',
      'discord:123456789012345678/223456789012345678/323456789012345678',
      'discord',
      { threadId: '323456789012345678' },
    ],
    ['a topic behind its chat', 'telegram:-100123/7', 'telegram', { chatId: '-100123', threadId: 7 }],
    ['a room of the page', 'web:main', 'web', { room: 'main' }],
    ['what stands in the environment', variable('TOCSIN_PLACE_HOOK'), 'webhook', { url: hook }],
    [
      'an address as the configuration has it',
      `{ notifier: webhook, address: { url: "${variable('TOCSIN_PLACE_HOOK')}" } }`,
      'webhook',
      { url: hook },
    ],
  ])('can be for %s', async (_, address, notifier, expected) => {
    const { wanted, flaws } = await read(at(address));
    expect(flaws).toEqual([]);
    expect(wanted.subscriptions).toMatchObject([{ thing: { receiver: { notifier, address: expected } } }]);
  });

  it('is empty for an empty file or an alert that has expired', async () => {
    const over = at(
      'web:main',
      'alerts: [{ when: price.last > 1, symbols: [btc], until: 2001-01-01T00:00:00Z }]',
    );
    expect(await read({ 'a.yaml': '', 'b.yaml': '# later\n', 'c.yaml': over })).toMatchObject({
      wanted: { subscriptions: [], rules: [], watchlists: [] },
      flaws: [],
    });
  });

  it('can be shared by a YAML anchor', async () => {
    const { wanted } = await read(
      `- at: web:a\n  subscriptions: &all [{ kinds: [funding-extreme] }]\n${at('web:b', 'subscriptions: *all')}`,
    );
    expect(wanted.subscriptions.map(({ thing }) => thing.receiver.address)).toEqual([
      { room: 'a' },
      { room: 'b' },
    ]);
  });
});

describe('a mistake is reported with its line and the remedy', () => {
  it.each<[string, string, RegExp]>([
    ['no YAML', '- at: web:main\n  subscriptions: [', /^team\.yaml:2:19: not valid YAML/],
    [
      'tabs',
      '- at: web:main\n\tsubscriptions: [all]\n',
      /^team\.yaml:2:2: not valid YAML: indent with spaces/,
    ],
    ['two documents', '- at: web:main\n---\n- at: web:b\n', /^team\.yaml:2:1: .* without a line "---"/],
    ['a link that opens a chat', at('https://t.me/c/1234567890/1'), /: at: That is no address to post to/],
    [
      'half a link to a channel',
      at('https://discord.com/channels/123456789012345678'),
      /: at: That is no address/,
    ],
    ['a name twice', '- at: web:main\n  at: web:b\n', /^team\.yaml:2:3: not valid YAML: .*unique/],
    [
      'no list',
      'at: web:main',
      /^team\.yaml:1:1: give a list of places, each of which begins with "- at: ADDRESS"$/,
    ],
    ['no address', '- subscriptions: [all]', /^team\.yaml:1:3: at: /],
    [
      'a misspelt name',
      at('web:main', 'alert: []'),
      /^team\.yaml:2:3: no such name: "alert"; did you mean alerts\?$/,
    ],
    [
      'a misspelt name inside',
      at('web:main', 'subscriptions:\n    - { severty: info }'),
      /^team\.yaml:3:9: .*did you mean severity\?$/,
    ],
    [
      'another severity',
      at('web:main', 'subscriptions:\n    - kinds: [funding-extreme]\n      severity: loud'),
      /^team\.yaml:4:7: severity: give one of info, /,
    ],
    [
      'no market',
      at('web:main', 'subscriptions:\n    - symbols: [btc,\n        bitcon]'),
      /^team\.yaml:4:9: Unknown market ["“]bitcon["”]: Did you mean BTC\?$/,
    ],
    [
      'no kind',
      at('web:main', 'subscriptions: [{ kinds: [fundng-extreme] }]'),
      /^team\.yaml:2:29: Unknown kind of alert .*Did you mean funding-extreme/,
    ],
    [
      'kinds and a preset',
      at('web:main', 'subscriptions: [{ kinds: [price-move], preset: quiet }]'),
      /^team\.yaml:2:2\d: /,
    ],
    [
      'a condition',
      at('web:main', 'alerts:\n    - symbols: [btc]\n      when: fundng.z > 2'),
      /^team\.yaml:4:7: Unknown metric .*Did you mean funding\.z/,
    ],
    [
      'no market at all',
      at('web:main', 'alerts:\n    - when: funding.z > 2'),
      /^team\.yaml:3:7: Which markets\?/,
    ],
    [
      'a line',
      at('web:main', 'alerts:\n    - btc > 100000\n    - btx > 100000'),
      /^team\.yaml:4:7: "btx" is not understood here.*Did you mean/,
    ],
    [
      'a line that orders something else',
      at('web:main', 'alerts: [alert delete all]'),
      /^team\.yaml:2:12: give what follows "alert create"/,
    ],
    [
      'an alert of one time',
      at('web:main', 'alerts: [btc > 1 mode=once]'),
      /^team\.yaml:2:12: .*leave "once" out$/,
    ],
    [
      'a number that is none',
      at('web:main', 'alerts: [{ when: price.last > 1, symbols: [btc], for: soon }]'),
      /^team\.yaml:2:5\d: for: give /,
    ],
    [
      'no market in a watchlist',
      at('web:main', 'watchlist:\n    - btc\n    - bitcon'),
      /^team\.yaml:4:7: Unknown market ["“]bitcon["”]: Did you mean BTC\?$/,
    ],
    [
      'a group in a watchlist, which changes without the file',
      at('web:main', 'watchlist: [btc, top20]'),
      /^team\.yaml:2:20: "top20" is a group: name its markets/,
    ],
    [
      'every market in a watchlist',
      at('web:main', 'watchlist: [all]'),
      /^team\.yaml:2:15: "all" is a group: name its markets/,
    ],
    [
      'a watchlist that is none',
      at('web:main', 'watchlist: btc'),
      /^team\.yaml:2:3: watchlist: give a list$/,
    ],
    ['an empty watchlist', at('web:main', 'watchlist: []'), /^team\.yaml:2:3: watchlist: give a value$/],
    [
      'no variable',
      at(variable('TOCSIN_PLACE_NO')),
      /^team\.yaml:1:3: at: the variable TOCSIN_PLACE_NO is not set/,
    ],
    [
      'a variable that is not for places, such as a token',
      at(`https://example.com/${variable('DISCORD_TOKEN')}`),
      /^team\.yaml:1:3: at: the variable DISCORD_TOKEN cannot be used: only those whose names begin with TOCSIN_PLACE_/,
    ],
    [
      'a platform that is not in use',
      at('slack:C0123456789'),
      /^team\.yaml:1:3: at: That is no address to post to: give one like https:\/\/discord.* Is its platform set up\?$/,
    ],
    ['no place', '- watchlist: [btc]', /^team\.yaml:1:3: at: give an address, such as web:main$/],
    ['a place in another form', '- at: [web]', /^team\.yaml:1:3: at: give an address, such as web:main$/],
  ])('%s', async (_, text, expected) => {
    expect(await flaws(text)).toEqual([expect.stringMatching(expected)]);
  });

  it('every mistake in every file is reported', async () => {
    expect(
      await flaws({
        'a.yaml': at('web:a', 'x: 1'),
        'b.yaml': at('web:b', 'subscriptions: [{ y: 1 }, { z: 1 }]'),
      }),
    ).toHaveLength(3);
  });

  it('a duplicate in two files is reported with both lines', async () => {
    const rule = 'alerts:\n    - { when: price.last > 1, symbols: [btc, eth] }';
    const same = 'alerts:\n    - { when: price.last > 1, symbols: [eth, btc], severity: info }';
    expect(await flaws({ 'a.yaml': at('web:main', rule), 'b.yaml': `\n${at('web:main', same)}` })).toEqual([
      'b.yaml:4:1: an alert of the same name or condition stands for this place at a.yaml:3 already: take one of them out',
    ]);
    const list = 'watchlist: [btc]';
    expect(await flaws({ 'a.yaml': at('web:main', list), 'b.yaml': at('web:main', list) })).toEqual([
      'b.yaml:2:1: a watchlist stands for this place at a.yaml:2 already: take one of them out',
    ]);
    expect(await flaws({ 'a.yaml': at('web:main'), 'b.yaml': at('web:other') })).toEqual([]);
    expect(await flaws(at('web:main', 'subscriptions: [all btc, all btc severity=critical]'))).toHaveLength(
      1,
    );
  });

  it('an address is never shown, because it may be a secret', async () => {
    const secret = 'https://me:a-secret-password@example.com/hooks/a-secret-path';
    expect((await flaws(at(secret))).join()).not.toMatch(/secret/);
    expect((await flaws(at(variable('TOCSIN_PLACE_HOOK'), 'x: 1'))).join()).not.toMatch(/secret/);
  });
});

it('entries with short market names are left unread while the list of markets is unknown', async () => {
  const text = at(
    'web:main',
    'subscriptions: [all btc, { symbols: [BTCUSDT] }, { symbols: [btc] }, { kinds: [nothing] }]\n  watchlist: [BTCUSDT, btc]',
  );
  const { unread, flaws, wanted } = await read(text, { universe: [] });
  expect({ unread, flaws: flaws.length, read: wanted.subscriptions.length }).toEqual({
    unread: 3,
    flaws: 1,
    read: 1,
  });
  expect(wanted.watchlists).toEqual([]);
});

it.each<[string, string, RegExp | null]>([
  ['a severity', 'subscriptions: [all btc severity=loud]', /"loud" is not one of|severity/],
  ['a misspelt input', 'subscriptions: [btc quite=22-7]', /has no input "quite"/],
  ['a misspelt kind', 'subscriptions: [fundng-extreme btc]', /fundng-extreme/],
  ['a condition', 'alerts: [{ when: fundng.z > 2, symbols: [btc] }]', /Unknown metric/],
  ['a metric in a line', 'alerts: [fundng.z above=2 btc]', /fundng\.z.*Did you mean funding\.z/],
  ['a metric before its level and its market', 'alerts: [funding.z > 3 btc]', null],
  ['a metric and its level', 'alerts: [funding.z above=2 btc]', null],
  ['a line that orders something else', 'alerts: [alert delete all]', /give what follows "alert create"/],
  ['nothing that is known', 'subscriptions: [funding-extreme bitcoin ETHUSDT severity=critical]', null],
  ['nothing that is known in an alert', 'alerts: [btc > 100k for=10m]', null],
])('what is wrong is said while the markets are unknown: %s', async (_, entry, expected) => {
  const { flaws, unread } = await read(at('web:main', entry), { universe: [] });
  expect({ flaws: flaws.map(flawText), unread }).toEqual(
    expected === null
      ? { flaws: [], unread: 1 }
      : { flaws: [expect.stringMatching(expected)], unread: expect.any(Number) },
  );
});

it('an id needs no quotation marks, however long it is', async () => {
  const { flaws, wanted } = await read(`
- at: { notifier: discord, address: { channelId: 1098765432109876543 } }
  subscriptions: [{ kinds: [funding-extreme], mention: 1098765432109876545 }]
- at: { notifier: telegram, address: { chatId: -1001234567890 } }
  subscriptions: [all]
`);
  expect(flaws).toEqual([]);
  expect(wanted.subscriptions.map(({ thing: { receiver, mention } }) => [receiver.address, mention])).toEqual(
    [
      [{ channelId: '1098765432109876543' }, '1098765432109876545'],
      [{ chatId: '-1001234567890' }, null],
    ],
  );
});

it('a CSV is refused with its line and the remedy', async () => {
  expect(await flaws('telegram,-100123,funding-extreme\n')).toEqual([
    'team.yaml:1:1: give a list of places, each of which begins with "- at: ADDRESS"',
  ]);
});

it('the example in docs/operations.md is valid', async () => {
  const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
  const [, example = ''] = /```yaml\n(# config\/places\/[\s\S]*?)```/.exec(page) ?? [];
  const { flaws, wanted } = await read(example.replace('TOCSIN_PLACE_DESK', 'TOCSIN_PLACE_HOOK'));
  expect(flaws).toEqual([]);
  expect([wanted.subscriptions.length, wanted.rules.length, wanted.watchlists.length]).toEqual([3, 2, 1]);
});

it('the output of "export as=yaml" is a file that sets up the place in the same way', async () => {
  const receiver = { notifier: 'telegram', address: { chatId: '-100', threadId: 7 } };
  const made = { receiver, createdBy: 'ada', createdAt: 0 };
  const digest = { every: 'week', at: '09:30', weekday: 'friday', timeZone: 'Europe/Madrid' } as const;
  const subscriptions = [
    { ...subscription({ ...made, kinds: ['funding-extreme'], symbols: ['BTCUSDT', 'top20'] }), id: 's1' },
    { ...subscription({ ...made, minSeverity: 'critical', digest, mention: '123' }), id: 's2' },
  ];
  const rules = [
    rule({ ...made, name: 'yes: "no"', clear: 'price.last < 90', hold: minute, expiresAt: now + hour }),
    rule({ ...made, condition: 'regime.state == "RISK_OFF"', symbols: [], severity: 'info', paused: true }),
  ];
  const filed = { ...subscription(made), id: 's3', file: 'other.yaml' };
  const once = rule({ ...made, mode: 'once', condition: 'price.last > 5' });
  const exported = async (listFile?: string, from: Caller = { ...caller, receiver }) => {
    const key = receiverKey(from.receiver);
    const store = memoryStore({
      subscriptions: [...subscriptions, filed].map((each) => ({ ...each, receiver: from.receiver })),
      rules: [...rules, once].map((each) => ({ ...each, receiver: from.receiver })),
      watchlists: new Map([[key, ['ETHUSDT', 'BTCUSDT']]]),
      listFiles: new Map(listFile === undefined ? [] : [[key, listFile]]),
    });
    return (await ask('export as=yaml', { store, caller: from })).file?.text ?? '';
  };
  const text = await exported();
  const { flaws, wanted } = await read(text);
  expect(flaws).toEqual([]);
  const content = (thing: object) => ({ ...thing, id: '', file: 'team.yaml', createdBy: '', createdAt: 0 });
  expect(wanted.subscriptions.map(({ thing }) => content(thing))).toEqual(subscriptions.map(content));
  expect(wanted.rules.map(({ thing }) => content(thing))).toEqual(rules.map(content));
  expect(wanted.watchlists.map(({ thing }) => thing.symbols)).toEqual([['ETHUSDT', 'BTCUSDT']]);
  expect(await exported('other.yaml')).not.toContain('watchlist');
  const secret = { notifier: 'webhook', address: { url: hook } };
  const elsewhere = await exported(undefined, { ...caller, receiver: secret, answeredElsewhere: true });
  expect(elsewhere).toContain('watchlist');
  expect(elsewhere).not.toContain(hook);
});
