import { beforeEach, describe, expect, test } from 'vitest';
import { type Rule, ruleName } from '#src/alert/rule.ts';
import { receiverKey } from '#src/alert/subscription.ts';
import type { Card } from '#src/card/card.ts';
import { sayCard } from '#src/card/say-card.ts';
import { UserError } from '#src/language/errors.ts';
import { plainReader } from '#src/language/say.ts';
import { hour } from '#src/runtime/units.ts';
import type { Caller, CommandContext } from '#src/shell/command.ts';
import { fieldsOf } from '#src/shell/fields.ts';
import type { CommandRequest } from '#src/shell/request.ts';
import { managerRights, memberRights } from '#src/shell/rights.ts';
import type { Store } from '#src/store/ports.ts';
import { addresses } from '#test/support/addresses.ts';
import { firing, next, subscription } from '#test/support/alerts.ts';
import { ask as asking, caller, commands } from '#test/support/commands.ts';
import { now } from '#test/support/data.ts';
import { detectors } from '#test/support/detectors.ts';
import { ownStore } from '#test/support/own-store.ts';

let store: Store;
beforeEach(async () => {
  store = await ownStore('file::memory:', { addresses });
});

const ask = (request: CommandRequest, over: Partial<CommandContext> = {}) =>
  asking(request, { store, ...over });
const theirs: Caller = {
  ...caller,
  receiver: { notifier: 'discord', address: { channelId: '1', guildId: '9' } },
  roleOf(named) {
    const id = /\d{15,}/.exec(named)?.[0];
    return id === undefined ? undefined : { id, mentionable: id === '123456789012345678' };
  },
  user: 'eve',
};
const everything = async (place: Caller) => ({
  subscriptions: await store.subscriptions.of(place.receiver),
  silences: await store.silences.of(place.receiver, now),
  rules: await store.rules.of(place.receiver),
  watchlist: await store.watchlist.of(place.receiver),
  audit: await store.audit.of(place.receiver, 100),
});

describe('one place cannot see or change another place’s things', () => {
  const secret = 'subscribe regime xrp critical quiet=01:23-04:56';

  test.each(commands.map((command) => ({ name: command.name, command })))(
    '$name',
    async ({ name, command }) => {
      await ask(secret, { caller: theirs });
      await ask('silence regime xrp 7h', { caller: theirs });
      await ask('watchlist add xrp', { caller: theirs });
      await ask('alert create funding.z above=2.5 xrp name="at 01:23"', { caller: theirs });
      await ask('position xrp long 0.5 10x', { caller: theirs });
      const before = await everything(theirs);
      const ids = [...before.subscriptions, ...before.silences, ...before.rules].map(({ id }) => id);
      const others = fieldsOf(command).flatMap(({ key, choices }) =>
        key === 'id' ? [] : choices.map((choice) => `${key}=${choice}`),
      );
      for (const given of ['', 'all', ...ids, ...ids.map((id) => `id=${id}`)]) {
        for (const more of ['', ...others, 'confirm=yes']) {
          const card = JSON.stringify(await ask(`${name} ${given} ${more}`));
          expect(card).not.toContain('01:23');
          for (const id of ids) if (!given.includes(id)) expect(card).not.toContain(id);
        }
      }
      expect(await everything(theirs)).toEqual(before);
    },
  );

  test('a watchlist in a subscription is that of the subscription’s place', async () => {
    await ask('watchlist add xrp', { caller: theirs });
    await ask('subscribe all watchlist');
    expect(await store.subscriptions.symbols()).toEqual([]);
    await ask('watchlist add eth');
    expect(await store.subscriptions.symbols()).toEqual(['ETHUSDT']);
  });
});

describe('a subscription', () => {
  const night = { from: '22:00', to: '07:00', timeZone: 'Asia/Tokyo' };
  const daily = { every: 'day', at: '18:30', timeZone: 'Europe/Berlin' };
  const only = async () => (await store.subscriptions.of(caller.receiver))[0];

  test('is changed by subscribing to the same again: only what is given changes', async () => {
    await ask('subscribe funding btc,eth warning quiet=22-7');
    const card = await ask('subscribe funding eth,btc delivery=daily at=9 zone=Europe/Berlin');
    expect(card.title).toBe('Subscription changed');
    expect(await store.subscriptions.count()).toBe(1);
    expect(await only()).toMatchObject({
      minSeverity: 'warning',
      quietHours: { from: '22:00', to: '07:00', timeZone: 'UTC' },
      digest: { every: 'day', at: '09:00', timeZone: 'Europe/Berlin' },
    });
  });

  test('is paused, resumed, changed and removed by the buttons of its card', async () => {
    await ask('subscribe all btc');
    const press = async (label: string) => {
      const id = (await only())?.id ?? '';
      const action = (await ask(`subscriptions ${id}`)).actions?.find((each) => each.label === label);
      return ask(action?.command ?? `no ${label}`);
    };
    await press('Pause');
    expect(await only()).toMatchObject({ paused: true });
    await press('Resume');
    await press('Hourly');
    await press('Critical only');
    expect(await only()).toMatchObject({ paused: false, minSeverity: 'critical', digest: { every: 'hour' } });
    await press('At once');
    expect(await only()).toMatchObject({ digest: null });
    await press('Remove');
    expect(await only()).toBeUndefined();
  });

  test.each<[string, object]>([
    ['quiet=23-7', { quietHours: { from: '23:00', to: '07:00', timeZone: 'Asia/Tokyo' }, digest: daily }],
    ['delivery=weekly', { quietHours: night, digest: { ...daily, every: 'week', weekday: 'monday' } }],
    ['day=friday delivery=weekly', { digest: { ...daily, every: 'week', weekday: 'friday' } }],
    ['at=7', { quietHours: night, digest: { ...daily, at: '07:00' } }],
    [
      'zone=America/New_York',
      {
        quietHours: { ...night, timeZone: 'America/New_York' },
        digest: { ...daily, timeZone: 'America/New_York' },
      },
    ],
    ['at=7 zone=UTC', { quietHours: night, digest: { ...daily, at: '07:00', timeZone: 'UTC' } }],
    ['quiet=none', { quietHours: null, digest: daily }],
    ['delivery=now', { quietHours: night, digest: null }],
    ['delivery=now zone=UTC', { quietHours: { ...night, timeZone: 'UTC' }, digest: null }],
  ])('keeps the times and zones that %s does not change', async (given, expected) => {
    await ask('subscribe all btc quiet=22-7 zone=Asia/Tokyo');
    const { id } = (await only()) ?? {};
    await ask(`edit ${id} delivery=daily at=18:30 zone=Europe/Berlin`);
    expect(await only()).toMatchObject({ quietHours: night, digest: daily });
    await ask(`edit ${id} ${given}`);
    expect(await only()).toMatchObject(expected);
  });

  test('takes a zone for new quiet hours from its digest, and for a new digest from its quiet hours', async () => {
    await ask('subscribe all btc delivery=daily zone=Europe/Berlin');
    const { id } = (await only()) ?? {};
    await ask(`edit ${id} quiet=22-7`);
    expect(await only()).toMatchObject({ quietHours: { timeZone: 'Europe/Berlin' } });
    await ask(`edit ${id} delivery=now`);
    await ask(`edit ${id} delivery=hourly`);
    expect(await only()).toMatchObject({ digest: { every: 'hour', timeZone: 'Europe/Berlin' } });
    await ask(`edit ${id} delivery=now quiet=none`);
    expect((await ask(`edit ${id} zone=UTC`)).summary).toContain('belongs to quiet hours or a digest');
    expect((await ask(`edit ${id} at=9`)).summary).toContain('belongs to a daily or weekly digest');
  });

  test('offers no change to those who do not manage the place', async () => {
    await ask('subscribe all btc');
    const guest = { ...caller, rights: memberRights };
    const id = (await only())?.id;
    expect((await ask(`subscriptions ${id}`, { caller: guest })).actions).toBeUndefined();
    expect((await ask('watchlist add btc', { caller: guest })).summary).toContain('manage');
  });

  test.each<[string, string, RegExp]>([
    ['a time zone alone', 'subscribe zone=UTC', /belongs to quiet hours or a digest/],
    [
      'a role where there are none',
      'subscribe mention=123456789012345678',
      /There are no roles to mention here/,
    ],
  ])('refuses %s', async (_, line, message) => expect((await ask(line)).summary).toMatch(message));

  test('refuses an invalid role where there are roles', async () => {
    const { summary } = await ask('subscribe mention=@everyone', { caller: theirs });
    expect(summary).toContain('That is no role here');
  });

  test('can mention a role in Discord, or none', async () => {
    await ask('subscribe all mention=<@&123456789012345678>', { caller: theirs });
    const [made] = await store.subscriptions.of(theirs.receiver);
    expect(made?.mention).toBe('123456789012345678');
    await ask('subscribe all mention=none', { caller: theirs });
    expect((await store.subscriptions.of(theirs.receiver))[0]?.mention).toBeNull();
  });
});

describe('a test post', () => {
  const posting = (fails = false) => {
    const posts: string[] = [];
    const tryPost: CommandContext['tryPost'] = async (receiver) => {
      if (fails) throw new UserError('A test post did not get through: Send Messages is missing.');
      posts.push(receiverKey(receiver));
    };
    return { posts, tryPost };
  };

  test('is sent before the first subscription of a place, and not again', async () => {
    const { posts, tryPost } = posting();
    await ask('subscribe funding', { tryPost });
    await ask('subscribe oi', { tryPost });
    expect(posts).toEqual([receiverKey(caller.receiver)]);
  });

  test('says once per place that alerts will arrive, even if the place is set up from elsewhere', async () => {
    const { posts, tryPost } = posting();
    const elsewhere = { ...caller, answeredElsewhere: true };
    await ask('subscribe funding', { tryPost, caller: elsewhere });
    await ask('subscribe oi', { tryPost, caller: elsewhere });
    await ask('alert create price.last above=25000 btc', { tryPost, caller: elsewhere });
    expect(posts).toHaveLength(1);
  });

  test('that fails prevents the subscription and names the missing permission', async () => {
    const { tryPost } = posting(true);
    for (const line of ['subscribe', 'import {"tocsin":1,"subscriptions":[{}]} confirm=yes']) {
      expect((await ask(line, { tryPost })).summary).toContain('Send Messages is missing');
    }
    expect(await store.subscriptions.count()).toBe(0);
  });

  test('shows three firing samples of different kinds, each marked as simulated sample data', async () => {
    const cards: Card<string>[] = [];
    const tryPost: CommandContext['tryPost'] = async (_, card) => void cards.push(sayCard(card, plainReader));
    const kinds = detectors.map(({ smallest: _, ...kind }) => kind);
    await ask('test', { tryPost, kinds });
    expect(cards.map(({ title }) => title)).toEqual([
      'TEST: BTC funding extreme: +0.0810% per 8 h (z 3.4)',
      expect.stringMatching(/^TEST: .*liquidation burst.*\$4\.1M in 15 min/),
      expect.stringMatching(/^TEST: .*risk-off/),
    ]);
    for (const card of cards) {
      expect(card).toMatchObject({
        status: 'firing',
        summary: expect.stringContaining('simulated sample data'),
        source: 'simulated sample data',
        dataTime: now,
      });
      expect(card.actions).toBeUndefined();
    }
    const none = await ask('test oi-momentum', { kinds });
    expect(none.summary).toMatch(/^These kinds have samples: Extreme funding, /);
    expect(cards[0]?.facts).toContainEqual({ name: 'z-score', value: '3.4' });
    expect(cards[1]?.facts?.map(({ name }) => name)).toContain('Liquidated in 15 min');
    expect(cards[2]?.facts).toContainEqual({ name: 'Probability', value: 'Risk-on 18% · Risk-off 65%' });
  });
});

describe('the audit log', () => {
  test('says who did what, newest first', async () => {
    await ask('subscribe all btc');
    await ask('watchlist add eth sol', { caller: { ...caller, user: 'bob' } });
    await ask('silence all-wrong');
    expect((await ask('audit')).table?.rows.map(([, who, what]) => [who, what])).toEqual([
      ['bob', 'watchlist: ETH, SOL'],
      ['ada', expect.stringMatching(/^subscribed \w{8}: All alerts for BTC, at once/)],
    ]);
  });
});

describe('export and import', () => {
  test('an export can be imported elsewhere after a preview and a confirmation', async () => {
    await ask('subscribe funding,oi btc warning delivery=daily at=9 quiet=22-7 zone=Asia/Tokyo');
    await ask('subscribe all top20');
    await ask('watchlist add btc eth');
    const json = (await ask('export')).file?.text;
    const preview = await ask(`import ${json}`, { caller: theirs });
    expect(preview.table?.rows.map(([what]) => what)).toEqual(['new', 'new']);
    expect(await store.subscriptions.of(theirs.receiver)).toEqual([]);
    await ask(`import confirm=yes ${json}`, { caller: theirs });
    const plain = async (place: Caller) =>
      (await store.subscriptions.of(place.receiver)).map(
        ({ id: _, receiver: __, createdBy: ___, ...rest }) => rest,
      );
    expect(await plain(theirs)).toEqual(await plain(caller));
    expect(await store.watchlist.of(theirs.receiver)).toEqual(['BTCUSDT', 'ETHUSDT']);
    const again = await ask(`import ${json}`, { caller: theirs });
    expect(again.table?.rows.map(([what]) => what)).toEqual(['unchanged', 'unchanged']);
  });

  test('the same alert twice is imported once', async () => {
    const alert = '{"when":"price.last > 1","symbols":["BTCUSDT"]}';
    await ask(`import confirm=yes {"tocsin":1,"alerts":[${alert},${alert}]}`);
    expect(await store.rules.of(caller.receiver)).toHaveLength(1);
  });

  const attached = (text: string | Uint8Array, size = Buffer.byteLength(text)): CommandRequest => ({
    name: 'import',
    input: { confirm: 'yes' },
    file: { size, read: async () => Buffer.from(text) },
  });

  test('the largest possible export is one file that can be imported', async () => {
    const symbols = Array.from({ length: 90 }, (_, n) => `top${n + 1}`).join(',');
    for (let n = 1; n <= 50; n++) {
      await ask(
        `subscribe all ${symbols},top${n + 100} critical quiet=22:00-07:00 zone=America/Argentina/Buenos_Aires`,
      );
    }
    const { file } = await ask('export');
    expect(file?.text.length).toBeGreaterThan(20_000);
    expect((await ask(attached(file?.text ?? ''), { caller: theirs })).title).toBe('Imported');
    expect(await store.subscriptions.of(theirs.receiver)).toHaveLength(50);
  });

  test.each<[string, CommandRequest, RegExp]>([
    ['too large', attached('', 1_000_001), /The file has 1,001 kB, and an export at most 1,000/],
    ['no text', attached(new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0xff])), /The file is not text/],
    ['no JSON', attached('a,b\n1,2'), /That is not valid JSON/],
    ['deep', attached('['.repeat(100_000) + ']'.repeat(100_000)), /^This is not a Tocsin export\.$/],
    ['deep within', attached(`{"tocsin":1,"place":${'['.repeat(50_000)}${']'.repeat(50_000)}}`), /place: /],
    [
      'of many keys',
      attached(`{"tocsin":1${Array.from({ length: 9_999 }, (_, n) => `,"k${n}":1`).join('')}}`),
      /"k0", /,
    ],
    ['wrong', attached('{"name":"package","version":"1.0.0"}'), /^This is not a Tocsin export\.$/],
    [
      'not to be had',
      { line: 'import', file: { size: 9, read: () => Promise.reject(new Error('gone')) } },
      /could not be fetched/,
    ],
    [
      'for a command that takes none',
      { line: 'market', file: { size: 1, read: async () => Buffer.from('x') } },
      /takes no file/,
    ],
  ])('a hostile file gets a clear error: %s', async (_, request, message) => {
    const { summary = '', forAsker } = await ask(request);
    expect(summary).toMatch(message);
    expect(summary.length).toBeLessThan(500);
    expect(forAsker).toBe(true);
    expect(await store.subscriptions.count()).toBe(0);
  });

  const exported = '{"tocsin":1,"subscriptions":[{"kinds":["funding-extreme"]}]}';
  test.each<[string, CommandRequest]>([
    ['a byte order mark', attached(`\ufeff${exported}`)],
    ['UTF-16 of Windows', attached(Buffer.from(`\ufeff${exported}`, 'utf16le'))],
    ['YAML', attached('tocsin: 1\nsubscriptions:\n  - kinds: [funding-extreme]\n')],
    [
      'a long id without quotation marks',
      attached(exported.replace('"]}', '"],"mention":1098765432109876545}')),
    ],
  ])('a file is read with %s', async (_, request) => {
    const roleOf = (id: string) => ({ id, mentionable: true });
    expect((await ask(request, { caller: { ...theirs, roleOf } })).title).toBe('Imported');
    expect(await store.subscriptions.of(theirs.receiver)).toHaveLength(1);
  });

  test.each<[string, CommandRequest, RegExp]>([
    [
      'Latin-1',
      attached(Buffer.from('{\n"tocsin": 1, "place": "é"}', 'latin1')),
      /not text in UTF-8 \(line 2\): save it as/,
    ],
    [
      'UTF-16 that does not say so',
      attached(Buffer.from(exported, 'utf16le')),
      /not text in UTF-8 \(line 1\)/,
    ],
    ['a comma too many', attached('{\n"tocsin": 1,\n"place": {]}\n'), /not valid JSON \(line 3\): send/],
    ['a CSV', attached('BTCUSDT,1\nETHUSDT,2\n'), /not valid JSON \(line 1\): send/],
    ['a file of places', attached('- at: web:main\n  subscriptions: [all]\n'), /for the folder of places/],
    ['deep nonsense', attached('['.repeat(19_000)), /not valid JSON/],
  ])('a file is refused with the line and the remedy: %s', async (_, request, message) => {
    const { summary = '', forAsker } = await ask(request);
    expect([summary, forAsker]).toEqual([expect.stringMatching(message), true]);
  });

  test('a file is not even fetched for those who may not change the settings', async () => {
    const read = async () => {
      throw new Error('fetched');
    };
    const request = { line: 'import', file: { size: 1, read } };
    const guest = { ...caller, rights: memberRights };
    expect((await ask(request, { caller: guest })).summary).toContain('only those who manage it');
  });

  test.each<[string, string, RegExp]>([
    ['no JSON', 'nonsense', /not valid JSON/],
    ['half of it', '{"tocsin":1', /not valid JSON/],
    ['another version', '{"tocsin":2}', /^This is not a Tocsin export/],
    ['what it does not know', '{"tocsin":1,"x":1}', /the whole: unknown: "x"/],
    [
      'a kind there is none of',
      '{"tocsin":1,"subscriptions":[{"kinds":["x"]}]}',
      /Unknown kind of alert "x"/,
    ],
    ['a market there is none of', '{"tocsin":1,"subscriptions":[{"symbols":["XUSDT"]}]}', /"XUSDT"/],
    [
      'a wrong time',
      '{"tocsin":1,"subscriptions":[{"quiet":{"from":"9","to":"1","zone":"UTC"}}]}',
      /quiet\.from/,
    ],
    ['too many', `{"tocsin":1,"subscriptions":[${Array(51).fill('{}').join()}]}`, /Too big|50/],
    ['an alert about no market', '{"tocsin":1,"alerts":[{"when":"price.last > 1"}]}', /Which markets/],
    ['everything as a watchlist', '{"tocsin":1,"watchlist":["*"]}', /Unknown market "\*"/],
    ['a watchlist in itself', '{"tocsin":1,"watchlist":["watchlist"]}', /Unknown market "watchlist"/],
    [
      'a night without hours',
      '{"tocsin":1,"subscriptions":[{"quiet":{"from":"22:00","to":"22:00","zone":"UTC"}}]}',
      /two different times/,
    ],
    [
      'a role where there are none',
      '{"tocsin":1,"subscriptions":[{"mention":"123456789012345678"}]}',
      /There are no roles/,
    ],
  ])('an import with %s is refused', async (_, json, message) => {
    const card = await ask(`import confirm=yes ${json}`);
    expect(card.title).toBe('Can’t do that');
    expect(card.summary).toMatch(message);
    expect(await store.subscriptions.count()).toBe(0);
  });
});

describe('forget', () => {
  test('asks first, then deletes everything of the place and lists what was deleted', async () => {
    await ask('subscribe');
    await ask('silence btc 4h');
    await ask('watchlist add btc');
    await ask('alert create price.last above=70000 btc');
    await ask('subscribe', { caller: theirs });
    const asked = await ask('forget');
    expect(asked.actions?.[0]?.command).toBe('forget place confirm=yes');
    const own = { name: 'Own alerts', value: ruleName((await store.rules.of(caller.receiver))[0] as Rule) };
    expect(asked.facts).toEqual([own]);
    expect(await store.subscriptions.count()).toBe(2);
    const card = await ask('forget place confirm=yes');
    expect(card.facts).toEqual([
      { name: 'Subscriptions', value: '1' },
      { name: 'Silences', value: '1' },
      { name: 'Watchlists', value: '1' },
      { name: 'Change log entries', value: '4' },
      own,
    ]);
    expect(await everything(caller)).toEqual({
      subscriptions: [],
      silences: [],
      rules: [],
      watchlist: [],
      audit: [],
    });
    expect(await store.subscriptions.of(theirs.receiver)).toHaveLength(1);
  });

  test('is for managers if it is about the place, and for everyone if it is about their own name', async () => {
    const guest = { ...caller, rights: memberRights };
    expect((await ask('forget confirm=yes', { caller: guest })).summary).toContain('manage');
    await ask('subscribe');
    await ask('forget me confirm=yes', { caller: guest });
    expect(JSON.stringify(await everything(caller))).not.toContain('ada');
    expect(await store.subscriptions.count()).toBe(1);
  });

  test('of a person goes by their id: another person with the same name keeps everything', async () => {
    for (const line of ['subscribe', 'silence btc 4h', 'alert create price.last above=1 btc']) {
      await ask(line, { caller: { ...caller, person: 'web:1' } });
    }
    await ask('forget me confirm=yes', { caller: { ...caller, person: 'web:2' } });
    const makers = async () =>
      (await Promise.all([store.subscriptions.of(caller.receiver), store.rules.of(caller.receiver)]))
        .flat()
        .map(({ createdBy }) => createdBy);
    expect(await makers()).toEqual(['web:1', 'web:1']);
    expect((await ask('audit')).table?.rows.map(([, who]) => who)).toEqual(['ada', 'ada', 'ada']);
    await ask('forget me confirm=yes', { caller: { ...caller, user: 'renamed', person: 'web:1' } });
    expect(JSON.stringify([await makers(), await everything(caller)])).not.toMatch(/ada|web:1"/);
  });
});

describe('the operator', () => {
  test('pauses and resumes all sending; nobody else does', async () => {
    const guest = { ...caller, rights: managerRights };
    expect((await ask('pause', { caller: guest })).title).toBe('Can’t do that');
    expect((await ask('resume', { caller: guest })).title).toBe('Can’t do that');
    await ask('pause');
    expect(await store.sending.paused()).toEqual({ by: 'ada', at: now });
    expect((await ask('resume')).title).toBe('Sending resumed');
    expect((await ask('resume')).title).toBe('Nothing was paused');
    expect(await store.sending.paused()).toBeNull();
  });
});

describe('missed', () => {
  test('and why include matching alerts that a broader alert held back', async () => {
    await ask('subscribe funding');
    const down = firing({ symbol: 'ETHUSDT', kind: 'data-quality', title: 'Data is down' }, now - 3 * hour);
    const held = firing({ symbol: 'BTCUSDT' }, now - 2 * hour);
    const over = next(firing({ symbol: 'SOLUSDT' }, now - 2 * hour), { status: 'resolved' }, now - hour);
    const other = firing({ symbol: 'BTCUSDT', kind: 'oi-momentum' }, now - 2 * hour);
    const by = down.fingerprint;
    await store.dispatch(async (unit) => {
      await unit.save({ alert: down, group: 'd', due: now, heldBy: null });
      for (const alert of [held, over, other])
        await unit.save({ alert, group: alert.id, due: now, heldBy: by });
    });
    expect((await ask('missed')).table?.rows.map(([title, why]) => [title, why]).sort()).toEqual([
      ['BTCUSDT funding-extreme', 'held back by "Data is down"'],
      ['SOLUSDT funding-extreme', 'held back by "Data is down" until it was over'],
    ]);
    expect((await ask('why sol')).facts).toContainEqual({
      name: 'SOLUSDT funding-extreme',
      value: 'Not sent: held back by "Data is down" until it was over.',
    });
  });

  test('says so if nothing was held back', async () => {
    expect((await ask('missed')).summary).toContain('Nothing was held back');
  });

  test('lists what began around a downtime, and says that the downtime itself is unknown', async () => {
    await store.heartbeat({ market: now - 5 * hour, wall: 0 }, 1_000);
    await store.heartbeat({ market: now - 3 * hour, wall: 500 }, 1_000);
    await store.heartbeat({ market: now - 2 * hour, wall: 5_000 }, 1_000);
    await store.heartbeat({ market: now - hour, wall: 5_500 }, 1_000);
    expect(await store.downtimes()).toEqual([{ from: now - 3 * hour, to: now - 2 * hour }]);
    await ask('subscribe funding');
    const alert = firing({ symbol: 'BTCUSDT' }, now - 2 * hour + 60_000);
    await store.dispatch((unit) => unit.save({ alert, group: 'g', due: now, heldBy: null }));
    const card = await ask('missed');
    expect(card.facts?.[0]).toMatchObject({
      name: 'The bot was down',
      value: expect.stringMatching(/^1 h, from/),
    });
    expect(card.table?.rows).toEqual([
      ['BTCUSDT funding-extreme', expect.stringContaining('found when the bot was back'), expect.anything()],
    ]);
    expect((await ask('missed 1h')).facts).toEqual([]);
  });

  test('lists of what began around a downtime only what would have been sent', async () => {
    await store.heartbeat({ market: now - 3 * hour, wall: 0 }, 1_000);
    await store.heartbeat({ market: now - 2 * hour, wall: 5_000 }, 1_000);
    await ask('watchlist btc, sol');
    await ask('subscribe funding watchlist critical');
    await store.subscriptions.add(
      subscription({ receiver: caller.receiver, kinds: ['oi-momentum'], paused: true }),
    );
    const began = now - 2 * hour + 60_000;
    const alerts = [
      firing({ symbol: 'BTCUSDT', severity: 'critical' }, began),
      firing({ symbol: 'ETHUSDT', severity: 'critical' }, began),
      firing({ symbol: 'BTCUSDT', kind: 'oi-momentum', severity: 'critical' }, began),
      firing({ symbol: 'SOLUSDT', severity: 'info' }, began),
    ];
    await store.dispatch(async (unit) => {
      for (const alert of alerts) await unit.save({ alert, group: alert.id, due: now, heldBy: null });
    });
    expect((await ask('missed')).table?.rows.map(([title]) => title)).toEqual(['BTCUSDT funding-extreme']);
  });
});

describe('a watchlist', () => {
  test('can be extended, reduced and cleared', async () => {
    expect((await ask('watchlist btc, eth')).summary).toBe('BTCUSDT, ETHUSDT');
    expect((await ask('watchlist add top1 sol')).summary).toBe('BTCUSDT, ETHUSDT, SOLUSDT');
    expect((await ask('watchlist remove eth')).summary).toBe('BTCUSDT, SOLUSDT');
    expect((await ask('watchlist add all')).summary).toContain('A watchlist can’t hold all');
    expect((await ask('watchlist clear')).summary).toContain('The watchlist is empty');
  });

  test('is what market and coin list', async () => {
    expect((await ask('market watchlist')).summary).toContain('The watchlist is empty');
    await ask('watchlist add eth');
    for (const line of ['market watchlist', 'coin watchlist']) {
      expect((await ask(line)).table?.rows.map(([symbol]) => symbol)).toEqual(['ETH']);
    }
  });
});

describe('a board', () => {
  test('at a time of day is a new message each day, and not in a topic besides', async () => {
    await ask('pin market at=08:00');
    expect(await store.boards.of(caller.receiver)).toMatchObject([
      { form: 'brief', daily: { at: '08:00', timeZone: 'UTC' } },
    ]);
    const { summary } = await ask('pin funding where=topic at=08:00', { labels: true });
    expect(summary).toBe('At a time of day a board is a new message, and nothing else.');
    expect(await store.boards.of(caller.receiver)).toHaveLength(1);
  });
});
