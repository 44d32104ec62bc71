import { describe, expect, test } from 'vitest';
import type { ReasonCode } from '#src/alert/reason.ts';
import { homesOf, welcome } from '#src/app/welcome.ts';
import { welcome as telegramWelcome } from '#src/platforms/telegram/welcome.ts';
import { hour } from '#src/runtime/units.ts';
import { openStore } from '#src/store/open.ts';
import type { Delivery } from '#src/store/ports.ts';
import { addresses } from '#test/support/addresses.ts';
import { delivery, firing, receiver, silence } from '#test/support/alerts.ts';
import { ask, caller, commandContext } from '#test/support/commands.ts';
import { now } from '#test/support/data.ts';
import { memoryStore } from '#test/support/memory-store.ts';
import { rule } from '#test/support/rules.ts';
import { platforms } from '#test/support/settings.ts';

describe('subscribe', () => {
  test('stores who subscribed, what, from which severity, and when to be quiet', async () => {
    const store = memoryStore();
    await ask('subscribe funding btc,eth warning quiet=22:00-07:00 zone=Europe/Berlin', { store });
    expect(store.kept.subscriptions).toEqual([
      {
        id: 'm1',
        receiver: caller.receiver,
        kinds: ['funding-extreme'],
        symbols: ['BTCUSDT', 'ETHUSDT'],
        minSeverity: 'warning',
        quietHours: { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' },
        digest: null,
        mention: null,
        paused: false,
        createdBy: 'ada',
        createdAt: now,
      },
    ]);
  });

  const standard = ['data-quality', 'funding-extreme', 'liquidation-burst', 'regime-transition'];
  test.each([
    ['alone it means the standard alerts', 'subscribe', standard, 'warning'],
    ['about one market it means the standard ones of it', 'subscribe btc', standard, 'warning'],
    ['everything has to be asked for', 'subscribe all', ['*'], 'info'],
    ['a preset is asked for by name', 'subscribe preset=quiet', ['regime-transition'], 'critical'],
  ])('%s', async (_rule, line, kinds, minSeverity) => {
    const store = memoryStore();
    await ask(line, { store });
    expect(store.kept.subscriptions).toMatchObject([{ kinds, minSeverity }]);
  });

  test('means the standard alerts when its button is pressed in the welcome in Telegram', async () => {
    const store = memoryStore();
    await ask(telegramWelcome.actions?.[0]?.command ?? '', { store });
    expect(store.kept.subscriptions).toMatchObject([{ kinds: standard }]);
  });

  test('subscribes every default place of the operator to the standard alerts at the first start', async () => {
    const store = await openStore('file::memory:', { addresses });
    const { kinds } = commandContext();
    const homes = homesOf(platforms, 'Asia/Tokyo');
    expect(homes.length).toBeGreaterThan(1);
    await welcome(store, { homes, kinds, now });
    for (const { receiver, timeZone } of homes) {
      expect((await store.preferences.of(receiver)).timeZone).toBe(timeZone);
      expect(await store.subscriptions.of(receiver)).toMatchObject([
        { kinds: standard, minSeverity: 'warning' },
      ]);
    }
    await store.close();
  });

  test('takes quiet hours in the caller’s time zone unless one is given', async () => {
    const store = memoryStore();
    await ask('subscribe quiet=22-7', { store, caller: { ...caller, timeZone: 'Asia/Tokyo' } });
    expect(store.kept.subscriptions[0]?.quietHours?.timeZone).toBe('Asia/Tokyo');
  });

  test('makes no second subscription if the same is asked again with lists in another order', async () => {
    const store = memoryStore();
    await ask('subscribe all btc,eth', { store });
    expect((await ask('subscribe all eth,btc', { store })).title).toBe('Already subscribed');
    expect(store.kept.subscriptions).toHaveLength(1);
  });

  test('allows at most 50 per place, and refuses a time zone alone', async () => {
    const store = memoryStore();
    for (let top = 1; top <= 50; top += 1) await ask(`subscribe all top${top}`, { store });
    expect((await ask('subscribe', { store })).summary).toContain('at its limit');
    expect((await ask('subscribe all top7 critical', { store })).title).toBe('Subscription changed');
    expect((await ask('subscribe zone=UTC', { store })).summary).toContain('belongs to quiet hours');
  });
});

test('a subscription or silence is listed, and undone by the command that its card offers', async () => {
  const store = memoryStore();
  for (const line of ['subscribe all btc', 'silence funding btc 2h']) {
    const undo = (await ask(line, { store })).actions?.[0]?.command ?? '';
    const list = await ask('subscriptions', { store });
    expect(JSON.stringify(list)).toMatch(/BTC\b/);
    expect((await ask(undo, { store })).title).toMatch(/ended/);
  }
  expect(store.kept).toMatchObject({ subscriptions: [], silences: [] });
});

describe('silence asks by buttons for what was not given', () => {
  const commandsOf = async (line: string, given: Parameters<typeof memoryStore>[0] = {}) => {
    const store = memoryStore(given);
    const { title, actions } = await ask(line, { store });
    expect(store.kept.silences).toEqual([]);
    return [title, actions?.map(({ command }) => command)];
  };

  test('without arguments it asks what to silence: an active alert, or everything', async () => {
    const alerts = [firing({ symbol: 'BTCUSDT' }), firing({ symbol: 'BTCUSDT' })];
    expect(await commandsOf('silence', { alerts })).toEqual([
      'Silence what?',
      ['silence funding-extreme BTCUSDT', 'silence 1h', 'silence 4h', 'silence 24h'],
    ]);
  });

  test('with the market of an alert’s button it asks for how long, or offers the whole kind', async () => {
    const line = 'silence funding-extreme BTCUSDT';
    expect(await commandsOf(line)).toEqual([
      'Silence for how long?',
      [`${line} 1h`, `${line} 4h`, `${line} 24h`, 'silence funding-extreme 30d'],
    ]);
  });

  test('the command of a button is carried out', async () => {
    const store = memoryStore();
    await ask('silence funding-extreme 30d', { store });
    expect(store.kept.silences).toMatchObject([{ kinds: ['funding-extreme'], symbols: ['*'] }]);
  });
});

test('the commands of an active alert work for a market that is no longer tracked, until the alert ends', async () => {
  const alert = firing({ symbol: 'GONEUSDT' });
  const buttons = ['coin GONEUSDT', 'why funding-extreme GONEUSDT', 'silence funding-extreme GONEUSDT 1h'];
  const answered = async (store: ReturnType<typeof memoryStore>) =>
    Promise.all(
      buttons.map(async (line) => !/Unknown market/.test(String((await ask(line, { store })).title))),
    );
  expect(await answered(memoryStore({ alerts: [alert] }))).toEqual([true, true, true]);
  const ended = { ...alert, status: 'resolved' as const };
  expect(await answered(memoryStore({ alerts: [ended] }))).toEqual([false, false, false]);
});

test('a silence lasts as long as asked, and only its own place can end it', async () => {
  const theirs = silence({ id: 'op', receiver: receiver('elsewhere'), endsAt: now + hour });
  const store = memoryStore({ silences: [theirs] });
  await ask('silence oi eth 90m', { store });
  expect(store.kept.silences[1]).toMatchObject({
    kinds: ['oi-momentum'],
    symbols: ['ETHUSDT'],
    startsAt: now,
    endsAt: now + 1.5 * hour,
  });
  const refused = await ask('unsilence op', { store });
  expect([refused.title, refused.summary]).toEqual([
    'No silence here has the id "op"',
    expect.stringContaining('Choose one'),
  ]);
  await ask('unsilence all', { store });
  expect(store.kept.silences).toEqual([theirs]);
});

test('an unknown id is refused with a list of the known ones', async () => {
  const store = memoryStore();
  await ask('subscribe', { store });
  expect((await ask('unsubscribe zz', { store })).summary).toContain('Choose one of these: m1.');
});

test.each<[string, string, string]>([
  ['all of a place’s own alerts', 'silence own-rule 2h', 'own-rule'],
  ['one of them by its id', 'silence m1 2h', 'own-rule/m1'],
  ['one of them as a button has it', 'silence own-rule/m1 2h', 'own-rule/m1'],
  ['one of them by its name', 'silence "my breakout" 2h', 'own-rule/m1'],
  ['what is called like a kind: the kind', 'silence oi-momentum 2h', 'oi-momentum'],
])('a silence mutes %s', async (_, line, kind) => {
  const rules = [
    rule({ id: 'm1', receiver: caller.receiver, name: 'My breakout' }),
    rule({ id: 'm2', receiver: caller.receiver, name: 'oi-momentum' }),
  ];
  const store = memoryStore({ rules });
  await ask(line, { store });
  expect(store.kept.silences).toMatchObject([{ kinds: [kind], symbols: ['*'], endsAt: now + 2 * hour }]);
});

test('a rule of another place cannot be silenced', async () => {
  const store = memoryStore({ rules: [rule({ id: 'm1', receiver: { notifier: 'web', address: {} } })] });
  expect((await ask('silence kind=m1', { store })).title).toContain('Unknown kind of alert "m1"');
});

describe('why', () => {
  const title = 'Funding of BTCUSDT';
  const alert = firing({ title }, now);
  const about = (over: Partial<Delivery>): Delivery =>
    delivery({
      ...{ at: now, alertId: alert.id, receiver: caller.receiver, title, outcome: 'suppressed' },
      ...over,
    });
  const because = (code: ReasonCode, text: string): Pick<Delivery, 'reason'> => ({ reason: { code, text } });

  test.each<[string, Partial<Delivery>, RegExp]>([
    ['silenced', because('silenced', 'silenced until …'), /Not sent: silenced until .*\n.*unsilence/s],
    ['quiet hours', because('quiet_hours', 'quiet hours'), /"subscriptions" shows the quiet hours/],
    ['already sent', because('already_sent', 'already sent'), /was sent here before/],
    ['held back', because('held_back', 'held back by "Data is DOWN"'), /"Data is DOWN".\n.*broader alert/s],
    ['expired', because('expired', 'expired'), /too long to be of use/],
    ['one that explains itself', because('not_kept', 'no longer kept'), /^Not sent: no longer kept\.$/],
    [
      'failed',
      { outcome: 'failed', ...because('not_delivered', 'the room is gone') },
      /could not be delivered: the room is gone/,
    ],
    ['sent', { outcome: 'sent' }, /^Sent because this chat subscribes to it\.$/],
    [
      'sent, perhaps twice',
      { outcome: 'sent', ...because('possibly_doubled', 'possibly doubled') },
      /Note: possibly doubled/,
    ],
    ['edited', { outcome: 'edited' }, /updated quietly/],
  ])('explains a delivery: %s', async (_, over, words) => {
    const card = await ask('why', { store: memoryStore({ deliveries: [about(over)] }) });
    expect(card.summary).toMatch(words);
  });

  test('explains only alerts of a market if one is given', async () => {
    const store = memoryStore({
      alerts: [alert],
      deliveries: [about({ alertId: 'other', title: 'Another' }), about(because('expired', 'expired'))],
    });
    expect((await ask('why', { store })).title).toBe('Suppressed: Another');
    expect((await ask('why btc', { store })).title).toBe('Suppressed: Funding of BTCUSDT');
  });

  test('explains one’s own alert with the command that shows it, also by market', async () => {
    const own = { ...alert, id: 'own', labels: { kind: 'own-rule', rule: 'm1', symbol: 'BTCUSDT' } };
    const sent = about({ alertId: 'own', title: 'BTCUSDT: Breakout', outcome: 'sent' });
    const store = memoryStore({ alerts: [own], deliveries: [sent] });
    expect(await ask('why btc', { store })).toMatchObject({
      title: 'Sent: BTCUSDT: Breakout',
      summary: expect.stringContaining('"alert show m1"'),
    });
    expect((await ask('why eth', { store })).title).toBe('No alert here yet');
    const judged = rule({
      id: 'm1',
      receiver: caller.receiver,
      name: 'Breakout',
      condition: 'price.last > 100',
    });
    store.kept.rules.push(judged);
    expect((await ask('why btc', { store })).facts).toEqual(
      expect.arrayContaining([
        { name: 'Rule', value: 'Breakout' },
        { name: 'Condition', value: expect.stringContaining('100') },
        { name: 'Seen', value: own.annotations.title },
      ]),
    );
  });

  test('names the rule, the value, and the matching subscription', async () => {
    const facts = [{ name: 'z', value: '2.4' }];
    const shown = { ...alert, annotations: { ...alert.annotations, facts } };
    const store = memoryStore({ alerts: [shown], deliveries: [about({ outcome: 'sent' })] });
    await ask('subscribe funding btc', { store });
    const kinds = [
      { name: 'funding-extreme', description: 'When funding is extreme', threshold: 'at most one every 6 h' },
    ];
    expect((await ask('why funding-extreme btc', { store, kinds })).facts).toEqual(
      expect.arrayContaining([
        { name: 'Rule', value: 'at most one every 6 h' },
        { name: 'Seen', value: 'z 2.4' },
        { name: 'Subscription', value: expect.stringMatching(/BTC\b/) },
      ]),
    );
  });

  test('hides deliveries to other places', async () => {
    const store = memoryStore({ deliveries: [about({ receiver: receiver('elsewhere') })] });
    expect((await ask('why', { store })).title).toBe('No alert here yet');
  });

  test('explains why there is no alert: nothing subscribed, nothing active, nothing that matches, or on its way', async () => {
    const store = memoryStore();
    const summary = async () => (await ask('why', { store })).summary;
    expect(await summary()).toContain('Nothing is subscribed here');
    await ask('subscribe all btc critical', { store });
    expect(await summary()).toContain('No alert is active');
    store.kept.alerts.push(alert);
    expect(await summary()).toContain('no more than warning: this chat gets critical only');
    store.kept.subscriptions.length = 0;
    await ask('subscribe all eth info', { store });
    expect(await summary()).toContain('this chat isn’t subscribed to it');
    await ask('subscribe all btc info', { store });
    expect(await summary()).toContain('on its way');
  });

  test('answers about the kind that was asked for, also if another is active or on its way', async () => {
    const store = memoryStore({ alerts: [alert] });
    await ask('subscribe all btc info', { store });
    store.deliveries.waiting = async () => [
      { alertId: alert.id, labels: alert.labels, title: 'Funding of BTCUSDT', due: now, reason: null },
    ];
    const other = await ask('why oi-momentum', { store });
    expect(other.summary).toBe('No such alert is active right now.');
    expect(JSON.stringify(other)).not.toContain('Funding of');
    const asked = await ask('why funding-extreme', { store });
    expect(asked.summary).toContain('on its way');
    expect(asked.facts).toContainEqual(expect.objectContaining({ value: 'Funding of BTCUSDT' }));
  });
});
