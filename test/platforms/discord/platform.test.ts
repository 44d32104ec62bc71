import { describe, expect, it } from 'vitest';
import type { Receiver } from '#src/alert/subscription.ts';
import type { Card } from '#src/card/card.ts';
import { type WallClock, wallClock } from '#src/runtime/clock.ts';
import { second } from '#src/runtime/units.ts';
import { mayRun, memberRights } from '#src/shell/rights.ts';
import { commands } from '#test/support/commands.ts';
import { type Discord, startDiscord } from '#test/support/discord/discord.ts';
import { limited, refused, type Seen } from '#test/support/discord/faults.ts';
import { embedOf, platformFixture, readyFixture, until } from '#test/support/discord/platform.ts';
import type { StoredChannel, StoredGuild } from '#test/support/discord/world.ts';
import { memoryPlaces } from '#test/support/places.ts';

/** A clock on which the second before a deferred response never ends, so that the machine's speed does not matter. */
const patient: WallClock = { ...wallClock, sleep: () => new Promise(() => {}) };

type Fixture = Awaited<ReturnType<typeof platformFixture>>;

/** Starts a double with a guild that has one channel. */
async function withGuild() {
  const discord = await startDiscord();
  return { discord, ...discord.addGuild() };
}

describe('an answer', () => {
  it('comes at once if it is ready, and to a question it is visible to all', async () => {
    await using f = await readyFixture({ ports: { wall: patient } });
    const answered = await f.slash('coin', { symbol: 'btc' });
    expect(answered).toMatchObject({ type: 4, ephemeral: false });
    expect(embedOf(answered)?.title).toMatch(/^BTC: /);
  });

  it('is visible only to the user if they ask for that, and to settings always', async () => {
    await using f = await readyFixture();
    expect(await f.slash('market', { private: true })).toMatchObject({ ephemeral: true });
    expect(f.asked.at(-1)?.request).toEqual({ name: 'market', input: {} });
    expect(await f.slash('subscribe', { kinds: 'all' })).toMatchObject({ ephemeral: true });
  });

  it('of the menu of a message says why that alert was posted, to the asker alone', async () => {
    await using f = await readyFixture();
    const rowOf = (custom_id: string) => ({
      type: 1,
      id: 1,
      components: [
        { type: 2, id: 2, style: 2, label: 'Chart', custom_id: 'c:chart x' },
        { type: 2, id: 3, style: 5, label: 'Trade', url: 'https://example.org/' },
        { type: 2, id: 4, style: 2, label: 'Why', custom_id },
      ],
    });
    const answered = await f.menu('Why this alert?', [rowOf('c:why price-move BTCUSDT')]);
    expect(answered).toMatchObject({ ephemeral: true });
    expect(f.asked.at(-1)?.request).toBe('why price-move BTCUSDT');
    // A message of others says nothing of an alert.
    await f.menu('Why this alert?', [rowOf('c:subscribe all')]);
    expect(f.asked.at(-1)?.request).toBe('why');
  });

  it('that takes longer than one of Discord’s three seconds is deferred and then sent', async () => {
    const late = Promise.withResolvers<void>();
    const slept: number[] = [];
    const wall = { ...wallClock, sleep: async (ms: number) => void slept.push(ms) };
    await using f = await readyFixture({
      ports: { wall },
      ask: async () => {
        await late.promise;
        return { title: 'At last' };
      },
    });
    const asking = f.slash('market');
    await until(() => f.discord.requests.some(({ path }) => path.endsWith('/callback')));
    late.resolve();
    const answered = await asking;
    expect(answered).toMatchObject({ type: 5 });
    expect(slept).toEqual([second]);
    expect(embedOf(answered)?.title).toBe('At last');
  });

  it.each([
    ['an error', 'coin', { symbol: 'nonsense' }],
    ['what forget asks first', 'forget', {}],
    ['settings', 'settings', {}],
    ['own alerts', 'alert list', {}],
    ['the watchlist', 'watchlist', {}],
  ])('is visible only to the user: %s', async (_what, command, input) => {
    await using f = await readyFixture();
    expect(await f.slash(command, input)).toMatchObject({ type: 4, ephemeral: true });
  });

  it('with an error is visible only to the user, even if it took long', async () => {
    const late = Promise.withResolvers<void>();
    await using f = await readyFixture({
      ask: async () => {
        await late.promise;
        return { title: 'Wrong', forAsker: true };
      },
    });
    const asking = f.slash('market');
    await until(() => f.discord.requests.some(({ path }) => path.endsWith('/callback')));
    late.resolve();
    const answered = await asking;
    expect(answered).toMatchObject({ type: 5, ephemeral: true });
    expect(embedOf(answered)?.title).toBe('Wrong');
  });

  it.each([
    ['at once', patient, 4],
    ['after it was announced', { ...wallClock, sleep: async () => {} }, 5],
  ])(
    'with a pending preview comes first, %s, and is then edited with its chart, with the same visibility',
    async (_how, wall, type) => {
      const whole = Promise.withResolvers<Card<string>>();
      const series = [{ name: 'BTC', points: [[0, 1] as const, [1, 2] as const] }];
      await using f = await readyFixture({
        ports: { wall, image: async ({ chart }) => chart && { png: new Uint8Array([1]), alt: 'A chart' } },
        ask: async () => ({ title: 'Checking', later: whole.promise }),
      });
      const first = await f.slash('subscribe', { kinds: 'all' });
      expect([first.type, first.ephemeral, embedOf(first)?.title]).toEqual([type, true, 'Checking']);
      whole.resolve({ title: 'Checked', chart: { title: 'Price', unit: 'USD', series } });
      const last = () => f.discord.shown.at(-1) ?? first;
      await until(() => embedOf(last())?.title === 'Checked');
      expect(last()).toMatchObject({ ephemeral: true, files: [{ size: 1 }] });
    },
  );

  it.each([
    ['at once', patient, 4],
    ['after it was announced', { ...wallClock, sleep: async () => {} }, 5],
  ])('that Discord refuses, %s, is replaced by one that says so', async (_how, wall, type) => {
    const late = Promise.withResolvers<void>();
    await using f = await readyFixture({
      ports: { wall },
      ask: async () => {
        if (type === 5) await late.promise;
        return { title: 'Refused' };
      },
    });
    const only =
      type === 5
        ? ({ method }: { method: string }) => method === 'PATCH'
        : ({ path }: { path: string }) => path.endsWith('/callback');
    f.discord.inject({ answer: refused(400, 50035, 'Invalid Form Body'), only });
    const asking = f.slash('market');
    if (type === 5) await until(() => f.discord.requests.some(({ path }) => path.endsWith('/callback')));
    late.resolve();
    const answered = await asking;
    expect([answered.type, embedOf(answered)?.title]).toEqual([type, 'The answer could not be shown']);
    await until(() => f.logged.some((line) => line.includes('50035')));
  });

  it('whose preview does not come stays as it is', async () => {
    await using f = await readyFixture({
      ports: { wall: patient },
      ask: async () => ({ title: 'Checking', later: Promise.resolve(undefined) }),
    });
    expect(embedOf(await f.slash('market'))?.title).toBe('Checking');
    await f.slash('market');
    expect(f.discord.requests.filter(({ method }) => method === 'PATCH')).toEqual([]);
  });

  describe('longer than a message', () => {
    const rows = Array.from({ length: 200 }, (_, index) => [`Row ${index}.`, 'said in words']);
    const long = { title: 'Long', table: { columns: ['What', 'How'], rows } };
    const buttons = ({ message }: { message: { components?: unknown } }) =>
      (message.components as { components: { label: string; custom_id: string }[] }[]).flatMap(
        ({ components }) => components.map(({ label, custom_id }) => [label, custom_id] as const),
      );
    const press = (label: string, from: Parameters<typeof buttons>[0]) =>
      buttons(from).find(([each]) => each === label)?.[1] ?? `no ${label}`;

    it('is read page by page: in place by the user who asked, and complete at the end', async () => {
      await using f = await readyFixture({ ask: async () => long });
      const pages = [await f.slash('market')];
      for (
        let page = pages[0];
        page !== undefined && buttons(page).some(([label]) => label === 'Next page');
      ) {
        page = await f.press(press('Next page', page));
        expect(page.type).toBe(6);
        pages.push(page);
      }
      const text = pages.map((page) => embedOf(page)?.description).join('\n');
      expect(text.match(/Row \d+\./g)).toHaveLength(200);
      const [, second] = pages;
      const back = second && (await f.press(press('Previous page', second)));
      expect(back && embedOf(back)?.description).toContain('Row 0.');
    });

    it('is paged by other users in a response of their own', async () => {
      await using f = await readyFixture({ ask: async () => long });
      const first = await f.slash('market');
      const theirs = await f.press(press('Next page', first), { userId: '444444444444444444' });
      expect(theirs).toMatchObject({ type: 5, ephemeral: true });
      expect(buttons(theirs).map(([label]) => label)).toContain('Previous page');
    });

    it('says that it has expired if it is no longer stored', async () => {
      await using f = await readyFixture({ ask: async () => long });
      const answered = await f.press('p:123456789012345678:1');
      expect(answered.ephemeral).toBe(true);
      expect(embedOf(answered)?.title).toBe('This answer has expired');
    });
  });

  it.each([
    ['es-419', 'es'],
    ['zh-CN', 'zh'],
    ['fr', 'en'],
  ])('is in the language of the user’s app, %s, if there is a translation', async (locale, language) => {
    await using f = await readyFixture();
    await f.slash('help', {}, { locale });
    expect(f.asked.at(-1)?.caller.language).toBe(language);
  });

  it('about one’s own settings is visible only to the user', async () => {
    await using f = await readyFixture();
    expect((await f.slash('settings', { whose: 'me' }, { manages: false })).ephemeral).toBe(true);
  });

  it('carries its chart if one can be drawn, and is sent without it otherwise', async () => {
    const picture = new Uint8Array([0x89, 0x50, 0x4e, 0x47]);
    let broken = false;
    const image = async () => {
      if (broken) throw new Error('no canvas');
      return { png: picture, alt: 'It rose' };
    };
    await using f = await readyFixture({ ports: { image } });
    expect((await f.slash('coin')).files).toEqual([{ filename: 'chart.png', size: 4, bytes: picture }]);
    broken = true;
    expect((await f.slash('coin')).files).toEqual([]);
  });

  it.each([
    ['10062', refused(404, 10062, 'Unknown interaction')],
    ['40060', refused(400, 40060, 'Interaction has already been acknowledged.')],
  ])('that Discord no longer accepts (%s) does no harm', async (code, fault) => {
    await using f = await readyFixture();
    f.discord.inject({ answer: fault, only: ({ path }) => path.endsWith('/callback') });
    void f.slash('market');
    await until(() => f.logged.some((line) => line.includes(code)));
    expect(embedOf(await f.slash('market'))?.title).toMatch(/^Market/);
  });
});

describe('places and rights', () => {
  it('a channel, a thread and a direct message are separate places', async () => {
    await using f = await readyFixture();
    await f.slash('market');
    await f.slash('market', {}, { channelId: '555555555555555555', parentId: f.channel.id });
    await f.slash('market', {}, { channelId: '666666666666666666', guildId: undefined });
    expect(f.asked.map(({ caller }) => caller.receiver.address)).toEqual([
      { channelId: f.channel.id, guildId: f.guild.id },
      { channelId: f.channel.id, guildId: f.guild.id, threadId: '555555555555555555' },
      { channelId: '666666666666666666' },
    ]);
  });

  it('only those who may manage the guild change settings', async () => {
    await using f = await readyFixture();
    const answered = await f.slash('subscribe', {}, { manages: false });
    expect(embedOf(answered)?.title).toBe('Can’t do that');
    expect(f.asked.at(-1)?.caller.rights).toBe(memberRights);
    expect(embedOf(await f.slash('subscribe', {}, { manages: true }))?.title).toBe('Subscribed');
  });

  it('the bot answers and stores nothing in a guild that it is not a member of', async () => {
    await using f = await readyFixture();
    const at = { guildId: '777777777777777777', channelId: '888888888888888888' };
    expect(await f.slash('market', {}, at)).toMatchObject({ ephemeral: true });
    expect(f.asked.at(-1)?.caller.rights).toBe(memberRights);
    expect(embedOf(await f.slash('subscribe', {}, at))?.description).toContain('not a member');
    expect(f.asked).toHaveLength(1);
  });
});

describe('settings as a file', () => {
  const kept = ({ context }: Fixture) =>
    (context.store as unknown as { kept: { subscriptions: { kinds: string[] }[] } }).kept.subscriptions;
  const attach = (text: string, name = 'tocsin.json') => ({ file: { file: { name, text } } });

  it('are exported as an attachment, and imported from one', async () => {
    await using f = await readyFixture();
    await f.slash('subscribe', { kinds: 'funding-extreme' });
    const [file] = (await f.slash('export')).files;
    expect(file).toMatchObject({ filename: 'tocsin.json' });
    const text = Buffer.from(file?.bytes ?? []).toString();
    const elsewhere = { channelId: f.discord.addChannel({ guild_id: f.guild.id }).id };
    const preview = await f.slash('import', attach(text), elsewhere);
    expect(embedOf(preview)?.title).toBe('Preview of the import');
    await f.slash('import', { ...attach(text), confirm: 'yes' }, elsewhere);
    expect(kept(f)).toMatchObject([{ kinds: ['funding-extreme'] }, { kinds: ['funding-extreme'] }]);
  });

  it.each([
    ['too large', 'x'.repeat(1_000_001), 'an export at most 1,000'],
    ['no JSON', 'hello', 'not valid JSON'],
  ])('that are %s are refused, visible only to the user', async (_what, text, message) => {
    await using f = await readyFixture();
    const answered = await f.slash('import', { ...attach(text), confirm: 'yes' });
    expect(answered.ephemeral).toBe(true);
    expect(embedOf(answered)?.description).toContain(message);
  });
});

describe('a role to mention', () => {
  const roleOf = ({ guild }: Fixture, name: string) =>
    guild.roles.find((each) => each.name === name)?.id ?? '';
  const kept = ({ context }: Fixture) =>
    (context.store as unknown as { kept: { subscriptions: { mention: string | null }[] } }).kept
      .subscriptions;

  it('is selected, and stored if anyone may mention it', async () => {
    await using f = await readyFixture();
    const role = roleOf(f, 'traders');
    expect(embedOf(await f.slash('subscribe', { mention: { role } }))?.title).toBe('Subscribed');
    expect(kept(f)).toMatchObject([{ mention: role }]);
  });

  it('that only some members may mention can be chosen by them alone', async () => {
    await using f = await readyFixture();
    const role = roleOf(f, 'staff');
    const answered = await f.slash('subscribe', { mention: { role } });
    expect(embedOf(answered)?.description).toContain('cannot be mentioned');
    await f.slash('subscribe', { mention: { role } }, { mentionsAll: true });
    expect(kept(f)).toMatchObject([{ mention: role }]);
  });

  it.each([
    ['everyone', ({ guild }: Fixture) => guild.id],
    ['a role of elsewhere', () => '123456789012345678'],
  ])('is never %s, however it is named', async (_what, id) => {
    await using f = await readyFixture();
    const role = id(f);
    await f.slash('subscribe', { mention: { role } }, { mentionsAll: true });
    await f.press(`c:subscribe mention=${role}`, { mentionsAll: true });
    const file = JSON.stringify({ tocsin: 1, subscriptions: [{ mention: role }] });
    await f.press(`c:import ${file} confirm=yes`, { mentionsAll: true });
    expect(f.asked).toHaveLength(3);
    expect(kept(f)).toEqual([]);
  });
});

describe('buttons, menus and autocomplete', () => {
  it('run the command they carry with the rights of the user who pressed them', async () => {
    await using f = await readyFixture();
    expect(await f.press('c:coin ETHUSDT')).toMatchObject({ ephemeral: true });
    expect(f.asked.at(-1)?.request).toBe('coin ETHUSDT');
    expect(embedOf(await f.choose('help coin'))?.title).toBe('coin');
    expect(await f.press('c:silence funding-extreme BTCUSDT 4h', { manages: false })).toMatchObject({
      ephemeral: true,
    });
    expect(f.context.store).toMatchObject({ kept: { silences: [] } });
  });

  it('offer markets during typing, the best match first', async () => {
    await using f = await readyFixture();
    expect((await f.type('coin', 'symbol', 'eth')).choices[0]).toEqual({ name: 'ETHUSDT', value: 'ETHUSDT' });
    expect((await f.type('coin', 'nonsense', 'eth')).choices).toEqual([]);
    expect((await f.type('subscribe', 'symbols', 'btc,et')).choices[0]?.value).toBe('btc,ETHUSDT');
  });

  it.each([
    [
      'a list after spaces, each name shown with those before it',
      'compare',
      'symbols',
      'btc eth so',
      'btc eth SOLUSDT',
    ],
    [
      'kinds after a comma and a space',
      'subscribe',
      'kinds',
      'funding-extreme, oi',
      'funding-extreme, oi-momentum',
      'Extreme funding, OI momentum',
    ],
    ['a coin by its full name, misspelt', 'coin', 'symbol', 'etherium', 'ETHUSDT'],
    ['a coin by its full name, misspelt otherwise', 'coin', 'symbol', 'sloana', 'SOLUSDT'],
  ])('complete %s', async (_what, command, input, typed, first, name = first) => {
    await using f = await readyFixture();
    expect((await f.type(command, input, typed)).choices[0]).toEqual({ name, value: first });
  });

  it('offer nothing that a list already names', async () => {
    await using f = await readyFixture();
    const values = (await f.type('compare', 'symbols', 'btc ')).choices.map(({ value }) => value);
    expect(values).toContain('btc ETHUSDT');
    expect(values).not.toContain('btc BTCUSDT');
  });

  it('offer no market that the command does not support', async () => {
    await using f = await readyFixture();
    const { choices } = await f.type('options', 'symbol', '');
    expect(choices.map(({ value }) => value)).toEqual(['BTCUSDT', 'ETHUSDT']);
    expect((await f.type('options', 'symbol', 'sol')).choices).toEqual([]);
  });
});

describe('commands', () => {
  const only = ({ method, path }: Seen) => method === 'PUT' && path.endsWith('/commands');
  const hasty = { ...wallClock, sleep: (_: number, signal?: AbortSignal) => wallClock.sleep(5, signal) };

  it('are registered once, and again only if they have changed', async () => {
    const discord = await startDiscord();
    discord.addGuild();
    const places = memoryPlaces();
    for (let run = 0; run < 2; run++) {
      const f = await platformFixture({ discord, places });
      await f.platform.ready;
      await until(() => places.facts.has('discord guilds all') && discord.commands.puts > 0);
      await f.platform.close();
    }
    expect(discord.commands.puts).toBe(1);
    const registered = discord.commands.of.get('global') as { name: string; options: { name: string }[] }[];
    expect(registered.map(({ name }) => name)).toContain('subscribe');
    expect(registered.find(({ name }) => name === 'unsubscribe')?.options[0]).toMatchObject({
      name: 'id',
      required: true,
    });
    await discord.close();
  });

  it.each([
    [401, 'one passing 401'],
    [404, 'a proxy’s 404'],
    [403, 'a proxy’s 403'],
  ])('are registered after %i, %s, and everything else goes on', async (status) => {
    const discord = await startDiscord();
    discord.addGuild();
    discord.inject({ only, answer: { status, body: { message: String(status), code: 0 } } });
    await using f = await readyFixture({ discord, ports: { wall: hasty } });
    await until(() => discord.commands.puts > 0);
    const address = { channelId: f.channel.id, guildId: f.guild.id };
    f.platform.notifyLoss({ address, reason: 'the bot may not see it', forGood: false });
    // To the owner, by a request of discord.js.
    await until(() => [...discord.channels.values()].some(({ type }) => type === 1));
  });

  it('are registered when Discord works again, and guilds are looked at meanwhile', async () => {
    const discord = await startDiscord();
    discord.addGuild();
    const answer = { status: 503, body: { message: '503: Service Unavailable' } };
    discord.inject({ only, times: 8, answer });
    await using f = await readyFixture({ discord, ports: { wall: hasty } });
    await until(() => discord.commands.puts > 0);
    expect(f.logged.filter((line) => line.includes('could not be registered'))).toHaveLength(2);
  });

  it('that Discord refuses keep it from no other work', async () => {
    const discord = await startDiscord();
    discord.addGuild();
    discord.inject({ only, times: 9, answer: refused(400, 50035, 'Invalid Form Body') });
    await using f = await readyFixture({ discord });
    await until(() => f.facts.has('discord guilds all'));
    await until(() => f.logged.some((line) => line.includes('registering commands failed')));
    expect(discord.commands.puts).toBe(0);
  });

  it('have pickers for roles, sub-commands for own alerts, and hidden operator’s commands', async () => {
    await using f = await readyFixture();
    await until(() => f.discord.commands.puts > 0);
    const registered = f.discord.commands.of.get('global') as {
      name: string;
      default_member_permissions?: string;
      options: {
        name: string;
        type: number;
        required?: boolean;
        options?: { name: string; required?: boolean }[];
      }[];
    }[];
    const command = (name: string) => registered.find((each) => each.name === name);
    const hidden = registered.filter((each) => each.default_member_permissions === '0');
    expect(hidden.map(({ name }) => name)).toEqual(['at', 'connect', 'pause', 'resume']);
    for (const each of registered)
      expect(each.default_member_permissions === undefined, each.name).toBe(
        mayRun(commands.find(({ name }) => name === each.name) ?? {}, { rights: memberRights }),
      );
    expect(command('subscribe')?.default_member_permissions).toBe('32');
    for (const name of ['subscribe', 'edit'])
      expect(command(name)?.options.find((each) => each.name === 'mention')?.type).toBe(8);
    const actions = command('alert')?.options;
    expect(actions?.map(({ type, name }) => `${type} ${name}`)).toEqual(
      ['list', 'new', 'create', 'show', 'edit', 'pause', 'resume', 'delete', 'metrics'].map(
        (name) => `1 ${name}`,
      ),
    );
    expect(actions?.find(({ name }) => name === 'show')?.options).toMatchObject([
      { name: 'id', required: true },
    ]);
  });

  it('with sub-commands are understood', async () => {
    await using f = await readyFixture();
    await f.slash('alert create', { metric: 'funding.z', above: '2.5', symbols: 'btc' });
    expect(f.asked.at(-1)?.request).toEqual({
      name: 'alert',
      input: { action: 'create', metric: 'funding.z', above: '2.5', symbols: 'btc' },
    });
    expect((await f.slash('alert list')).message.texts?.join('\n')).toContain('funding z-score above 2.5');
  });

  it.each([false, true])(
    'are mentioned by their ids where they are registered; in one guild alone: %s',
    async (alone) => {
      const { discord, guild } = await withGuild();
      const elsewhere = discord.addGuild('Elsewhere');
      const given = { discord, places: memoryPlaces(), options: alone ? { developmentGuild: guild.id } : {} };
      const first = await platformFixture(given);
      await until(() => given.places.facts.has('discord commands'));
      await first.platform.close();
      await using f = await readyFixture(given);
      const registered = discord.commands.of.get(alone ? guild.id : 'global') as {
        name: string;
        id: string;
      }[];
      const idOf = (command: string) => registered.find(({ name }) => name === command)?.id;
      const told = async (at: object) => (await f.slash('help', {}, at)).message.embeds?.[0]?.description;
      const mention = `For the details of one: </help:${idOf('help')}> \`command:funding\``;
      expect(await told({})).toContain(mention);
      const there = { guildId: elsewhere.guild.id, channelId: elsewhere.channel.id };
      expect(await told(there)).toContain(
        alone ? 'For the details of one: `/help command:funding`' : mention,
      );
      // A command that has sub-commands cannot be clicked.
      expect(await told({})).toContain('- **`/alert`** ·');
    },
  );

  it('are registered in one guild alone if the configuration names it', async () => {
    const { discord, guild } = await withGuild();
    await using _f = await readyFixture({ discord, options: { developmentGuild: guild.id } });
    await until(() => discord.commands.puts > 0);
    expect([...discord.commands.of.keys()]).toEqual([guild.id]);
  });
});

describe('guilds and channels', () => {
  const receiverIn = (guildId: string, channelId = '999999999999999999'): Receiver => ({
    notifier: 'discord',
    address: { channelId, guildId },
  });

  it('a guild that is joined is greeted in its system channel, with the first steps', async () => {
    await using f = await readyFixture();
    await until(() => f.facts.has('discord guilds all'));
    const { guild, channel } = f.discord.addGuild('New');
    f.discord.gateway.dispatch('GUILD_CREATE', guild);
    await until(() => channel.messages.length > 0);
    expect(JSON.stringify(channel.messages[0]?.embeds)).toContain('/subscribe');
    expect(channel.messages[0]?.pinged).toEqual([]);
  });

  /** Starts the platform where what the receiver has is on hold. */
  const resting = async (known: Receiver, discord?: Discord) => {
    const f = await readyFixture({ known: [known], ...(discord && { discord }) });
    await until(() => f.facts.has('discord guilds all'));
    await f.places.suspend([known], 'nothing can be posted there');
    return f;
  };
  const wakes = async (f: Fixture) => {
    await until(() => f.did.length === 2);
    expect(f.did[1]).toMatch(/^wake discord:/);
  };

  const greeted = (channels: readonly StoredChannel[]) =>
    channels
      .filter(({ messages }) => JSON.stringify(messages).includes('Tocsin is here'))
      .map(({ name }) => name);
  const channelsOf = (discord: Discord) => [...discord.channels.values()];

  it('a guild that the bot was in before its first start is greeted, once over all restarts', async () => {
    const { discord, channel } = await withGuild();
    const places = memoryPlaces();
    for (let start = 0; start < 3; start++) {
      const f = await platformFixture({ discord, places, keepsDouble: true });
      expect(await f.platform.ready).toBe(true);
      await until(() => places.facts.get('discord guilds all')?.includes('"ungreeted":[]') === true);
      await f.close();
    }
    expect(channel.messages).toHaveLength(1);
    await discord.close();
  });

  it('a greeting that was posted before the process was killed is found, and not posted again', async () => {
    const { discord, channel } = await withGuild();
    const places = memoryPlaces();
    const remember = places.places.remember;
    let kept = '';
    const first = await platformFixture({
      discord,
      keepsDouble: true,
      places: {
        ...places,
        places: {
          ...places.places,
          // What is stored once the greeting has arrived is lost.
          async remember(name, value) {
            if (channel.messages.length > 0 && name === 'discord guilds all') kept = value;
            else await remember(name, value);
          },
        },
      },
    });
    await until(() => kept !== '');
    await first.close();
    await using f = await readyFixture({ discord, places });
    await until(() => f.facts.get('discord guilds all')?.includes('"ungreeted":[]') === true);
    expect(channel.messages).toHaveLength(1);
  });

  it('a guild that has subscriptions already is not greeted', async () => {
    const { discord, guild, channel } = await withGuild();
    await using f = await readyFixture({ discord, known: [receiverIn(guild.id, channel.id)] });
    await until(() => f.facts.has('discord guilds all'));
    expect(JSON.parse(f.facts.get('discord guilds all') ?? '')).toMatchObject({ ungreeted: [] });
  });

  it('every greeting of a burst arrives, whatever rate limits and outages it meets', async () => {
    const discord = await startDiscord();
    const guilds = Array.from({ length: 30 }, () => discord.addGuild());
    const only = ({ method, path }: Seen) => method === 'POST' && path.endsWith('/messages');
    discord.inject({ only, times: 20, answer: limited(0.01) });
    discord.inject({ only, times: 5, answer: { status: 502, body: '<html>' } });
    const wall = {
      ...wallClock,
      sleep: (ms: number, signal?: AbortSignal) => wallClock.sleep(ms / 500, signal),
    };
    await using f = await readyFixture({ discord, ports: { wall } });
    await until(() => greeted(channelsOf(discord)).length === guilds.length);
    for (const { channel } of guilds) expect(channel.messages).toHaveLength(1);
    expect(f.facts.has('discord guilds all')).toBe(true);
  });

  const special: [string, (guild: StoredGuild, channel: StoredChannel) => object | undefined][] = [
    ['the rules', (guild, { id }) => Object.assign(guild, { rules_channel_id: id })],
    ['notices to moderators', (guild, { id }) => Object.assign(guild, { public_updates_channel_id: id })],
    ['what the server has closed to greetings', (guild) => Object.assign(guild, { system_channel_flags: 1 })],
    ['what members may only read', (_, channel) => Object.assign(channel, { readOnly: true })],
    [
      'what is called rules',
      (guild, channel) => [
        Object.assign(channel, { name: '📜-rules' }),
        Object.assign(guild, { system_channel_id: null }),
      ],
    ],
    ['announcements', (_, channel) => Object.assign(channel, { type: 5 })],
    ['what the bot may not post in', (_, channel) => Object.assign(channel, { canSend: false })],
  ];
  it.each(special)('a greeting never goes into a channel for %s', async (_, make) => {
    const { discord, guild, channel } = await withGuild();
    make(guild, channel);
    discord.addChannel({ guild_id: guild.id, name: 'talk' });
    await using _f = await readyFixture({ discord });
    await until(() => greeted(channelsOf(discord)).length > 0);
    expect(greeted(channelsOf(discord))).toEqual(['talk']);
  });

  it('a greeting that one channel refuses goes into the next', async () => {
    const { discord, guild, channel } = await withGuild();
    discord.addChannel({ guild_id: guild.id, name: 'talk' });
    discord.inject({
      only: ({ method, path }) => method === 'POST' && path.includes(channel.id),
      times: 9,
      answer: refused(403, 50_013, 'Missing Permissions'),
    });
    await using _f = await readyFixture({ discord });
    await until(() => greeted(channelsOf(discord)).length > 0);
    expect(greeted(channelsOf(discord))).toEqual(['talk']);
  });

  it('the greeting has a button that opens the panel, for its presser alone', async () => {
    await using f = await readyFixture();
    await until(() => f.channel.messages.length > 0);
    expect(JSON.stringify(f.channel.messages[0]?.components)).toContain('"c:setup"');
    expect(await f.press('c:setup')).toMatchObject({ ephemeral: true });
  });

  it('a guild that is left rests, and wakes without a second greeting when it returns', async () => {
    const { discord, guild, channel } = await withGuild();
    const known = receiverIn(guild.id);
    await using f = await readyFixture({ discord, known: [known] });
    await until(() => f.facts.has('discord guilds all'));
    discord.gateway.dispatch('GUILD_DELETE', { id: guild.id });
    await until(() => f.did.length === 1);
    expect(f.did[0]).toMatch(/^rest discord:/);
    discord.gateway.dispatch('GUILD_CREATE', guild);
    await wakes(f);
    expect(channel.messages).toEqual([]);
  });

  describe('a channel in which the bot lost its permissions rests, and wakes', () => {
    const rested = async () => {
      const { discord, guild, channel } = await withGuild();
      channel.canSend = false;
      return resting(receiverIn(guild.id, channel.id), discord);
    };

    it('when they return, and with no other change', async () => {
      await using f = await rested();
      f.discord.gateway.dispatch('CHANNEL_UPDATE', { ...f.channel, name: 'renamed' });
      expect(embedOf(await f.slash('market', {}, { rights: '0' }))?.title).toMatch(/^Market/);
      expect(f.did).toHaveLength(1);
      f.channel.canSend = true;
      f.discord.gateway.dispatch('CHANNEL_UPDATE', f.channel);
      await wakes(f);
    });

    it('with the next command in it', async () => {
      await using f = await rested();
      await f.slash('market');
      await wakes(f);
    });
  });

  it.each([
    ['a forum that requires a tag', { type: 15 }, 'requiresTag', 'CHANNEL_UPDATE'],
    ['a thread that is locked', { type: 11 }, 'locked', 'THREAD_UPDATE'],
  ] as const)(
    '%s rests until that is changed, whatever else happens there',
    async (_what, kind, why, event) => {
      const { discord, guild, channel } = await withGuild();
      const inThread = kind.type === 11;
      const place = discord.addChannel({
        ...kind,
        guild_id: guild.id,
        [why]: true,
        ...(inThread && { parent_id: channel.id }),
      });
      const address = inThread
        ? { channelId: channel.id, guildId: guild.id, threadId: place.id }
        : { channelId: place.id, guildId: guild.id };
      await using f = await resting({ notifier: 'discord', address }, discord);
      for (const each of [channel, place])
        discord.gateway.dispatch(each.type === 11 ? 'THREAD_UPDATE' : 'CHANNEL_UPDATE', {
          ...each,
          name: 'renamed',
        });
      await f.slash('market');
      await f.slash('market', {}, { channelId: place.id, ...(inThread && { parentId: channel.id }) });
      expect(f.did).toHaveLength(1);
      place[why] = false;
      discord.gateway.dispatch(event, place);
      await wakes(f);
    },
  );

  it('a channel with too many threads wakes when one of them is archived', async () => {
    const { discord, guild, channel } = await withGuild();
    const thread = discord.addChannel({ type: 11, guild_id: guild.id, parent_id: channel.id });
    const known = receiverIn(guild.id, channel.id);
    await using f = await readyFixture({ discord, known: [known] });
    await until(() => f.facts.has('discord guilds all'));
    await f.slash('market', {}, { rights: '0' });
    await f.places.suspend([known], 'too many threads');
    discord.gateway.dispatch('THREAD_UPDATE', { ...thread, name: 'renamed' });
    await f.slash('market', {}, { rights: '0' });
    expect(f.did).toHaveLength(1);
    discord.gateway.dispatch('THREAD_UPDATE', { ...thread, archived: true });
    await wakes(f);
  });

  it('a category, which takes no messages, stays at rest over a restart', async () => {
    const { discord, guild } = await withGuild();
    const category = discord.addChannel({ type: 4, guild_id: guild.id, name: 'A category' });
    await using f = await resting(receiverIn(guild.id, category.id), discord);
    discord.gateway.dispatch('CHANNEL_UPDATE', { ...category, name: 'renamed' });
    await f.slash('market');
    expect(f.did).toHaveLength(1);
  });

  it('a thread that was archived and locked before the start wakes when it is opened', async () => {
    const { discord, guild, channel } = await withGuild();
    const closed = { archived: true, locked: true };
    const thread = discord.addChannel({ type: 11, guild_id: guild.id, parent_id: channel.id, ...closed });
    const address = { channelId: channel.id, guildId: guild.id, threadId: thread.id };
    await using f = await resting({ notifier: 'discord', address }, discord);
    discord.gateway.dispatch('THREAD_UPDATE', { ...thread, archived: false, locked: false });
    await wakes(f);
  });

  it('a direct message that rests wakes with the next command in it', async () => {
    await using f = await resting({ notifier: 'discord', address: { channelId: '666666666666666666' } });
    await f.slash('market', {}, { channelId: '666666666666666666', guildId: undefined });
    await wakes(f);
  });

  it('a guild that was left while the bot was offline rests from the next start', async () => {
    const discord = await startDiscord();
    discord.addGuild();
    const lost = receiverIn('777777777777777777');
    const places = memoryPlaces([lost]);
    places.facts.set('discord guilds all', JSON.stringify({ here: ['777777777777777777'], resting: [] }));
    await using f = await readyFixture({ discord, places });
    await until(() => f.did.length > 0);
    expect(f.did[0]).toMatch(/^rest discord:/);
  });

  it('a guild in an outage keeps everything', async () => {
    await using f = await readyFixture();
    f.discord.gateway.dispatch('GUILD_DELETE', { id: f.guild.id, unavailable: true });
    expect(embedOf(await f.slash('market'))?.title).toMatch(/^Market/);
    expect(f.did).toEqual([]);
  });

  it('a channel or thread that is deleted loses its subscriptions', async () => {
    const { discord, guild, channel } = await withGuild();
    const known = receiverIn(guild.id, channel.id);
    await using f = await readyFixture({ discord, known: [known] });
    discord.gateway.dispatch('CHANNEL_DELETE', {
      id: channel.id,
      guild_id: guild.id,
      type: 0,
      name: 'general',
    });
    await until(() => f.did.length === 1);
    expect(f.did[0]).toMatch(/^end discord:/);
  });

  describe('a lost channel is reported, within the learned rate limits:', () => {
    const lose = ({ platform, guild }: Fixture, { id }: { readonly id: string }) =>
      platform.notifyLoss({
        address: { channelId: id, guildId: guild.id },
        reason: 'the bot lacks a permission',
        forGood: false,
      });
    const notices = ({ messages }: StoredChannel) =>
      messages.map(({ embeds }) => JSON.stringify(embeds)).filter((text) => text.includes('on hold'));
    it('in another channel', async () => {
      await using f = await readyFixture();
      const other = f.discord.addChannel({ guild_id: f.guild.id, name: 'alerts' });
      lose(f, other);
      await until(() => notices(f.channel).length === 1);
      expect(notices(f.channel)[0]).toContain('lacks a permission');
    });

    it('to the owner if there is no other channel', async () => {
      await using f = await readyFixture();
      lose(f, f.channel);
      const dm = () => [...f.discord.channels.values()].find(({ type }) => type === 1);
      await until(() => (dm()?.messages.length ?? 0) === 1);
      expect(dm()?.name).toBe(`dm-${f.guild.owner_id}`);
    });

    it('each of two that are lost at the same time', async () => {
      await using f = await readyFixture();
      const others = ['alerts', 'news'].map((name) => f.discord.addChannel({ guild_id: f.guild.id, name }));
      for (const other of others) lose(f, other);
      await until(() => notices(f.channel).length === 2);
    });
  });
});
