import { describe, expect, it } from 'vitest';
import { plainReader, say } from '#src/language/say.ts';
import { pageQuery } from '#src/platforms/web/caller.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { memberRights } from '#src/shell/rights.ts';
import { subscription } from '#test/support/alerts.ts';
import { ask, caller } from '#test/support/commands.ts';
import { dataClient, now } from '#test/support/data.ts';
import { hook } from '#test/support/hooks.ts';
import { memoryStore } from '#test/support/memory-store.ts';
import { priced, rule } from '#test/support/rules.ts';

const data = priced({ BTCUSDT: 20_000 }, now);

describe('a market and a level typed alone offer the alert, and save nothing', () => {
  it.each([
    ['btc above 24000', 'price.last > 24000'],
    ['btc > 24000', 'price.last > 24000'],
    ['BTC below 19k', 'price.last < 19000'],
    ['btc funding.z above 2', 'funding.z > 2'],
    ['btc 24000', 'price.last > 24000'],
    ['btc crosses above 24000', 'price.last > 24000'],
    ['btc hits 24k', 'price.last > 24000'],
    ['btc drops to 19k', 'price.last < 19000'],
  ])('%s', async (line, condition) => {
    const store = memoryStore();
    let previewed: unknown;
    const preview = async (what: unknown) => {
      previewed = what;
      return { state: 'impossible' as const, why: 'no past' };
    };
    await ask(line, { store, data, preview: preview as never });
    expect(previewed).toMatchObject({ rule: { condition, symbols: ['BTCUSDT'] } });
    expect(store.kept.rules).toEqual([]);
  });

  it.each([
    ['btc +10%', 'price.change24hPct > 10'],
    ['btc -5%', 'price.change24hPct < -5'],
    ['btc drops 5%', 'price.change24hPct < -5'],
    ['btc 5%', 'abs(price.change24hPct) > 5'],
    ['btc above 5%', 'price.change24hPct > 5'],
    ['btc below -5%', 'price.change24hPct < -5'],
  ])(
    'a change without its window is asked about, and a button says it whole: %s',
    async (line, condition) => {
      const store = memoryStore();
      const { title, actions = [] } = await ask(line, { store, data });
      expect(title).toBe('Over what time?');
      const meant = actions.find(({ label }) => label.startsWith('24 h'));
      const { actions: offered = [] } = await ask(meant?.command ?? '', { store, data });
      expect(store.kept.rules).toEqual([]);
      await ask(offered[0]?.command ?? '', { store, data });
      expect(store.kept.rules).toMatchObject([{ condition, symbols: ['BTCUSDT'] }]);
    },
  );

  it.each([
    ['btc funding above 50% a year', 'funding per year above 50%, on BTC.'],
    ['tell me when eth is over 2k', 'price above 2,000, on ETH.'],
    ['cuando btc pase de 24k', 'price above 24,000, on BTC.'],
    ['比特币跌破 24000', 'price below 24,000, on BTC.'],
  ])('a whole sentence is read, whatever word it begins with: %s', async (line, meant) => {
    expect((await ask(line, { data })).summary).toContain(meant);
  });

  it.each([
    ['read with 200 characters', 200, /price above 24,000, on BTC/],
    ['refused with more', 201, /^sentence: .*200/],
  ])('a sentence is %s', async (_, length, said) => {
    const sentence = `btc above${'24000'.padStart(length - 'btc above'.length)}`;
    expect((await ask(`alert create sentence="${sentence}"`, { data })).summary).toMatch(said);
  });

  it.each([
    ['alert btc not above 24000', /"not"/],
    ['tell me when btc is not above 24000', /"not"/],
    ['alert btc above 24000 unless eth falls', /"unless"/],
    ['alert btc above my entry', /"my"/],
    ['alert btc and eth above 2000', /"and"/],
  ])('a word that is not accounted for stops it: %s', async (line, said) => {
    const store = memoryStore();
    const { summary, actions } = await ask(line, { store, data });
    expect(summary).toMatch(said);
    expect(actions ?? []).toEqual([]);
    expect(store.kept.rules).toEqual([]);
  });

  it.each(['hello above 24000', 'is over 9000'])('what names no market is none: %s', async (line) => {
    expect((await ask(line, { data })).title).toMatch(/^Unknown command/);
  });
});

describe('other words for a command', () => {
  it.each([
    ['menu', /What Tocsin can do/],
    ['timezone Berlin', /Saved|Settings/],
    ['language es', /Guardado|Ajustes/],
    ['sub to btc', /^Subscribed/],
    ['liqs eth', /^Liquidations of ETH/],
    ['funding rate btc', /^BTC funding/],
    ['price of btc', /^BTC/],
  ])('%s', async (line, title) => {
    expect((await ask(line, { data: dataClient() })).title).toMatch(title);
  });
});

describe('alert with a level and no side', () => {
  it.each([
    ['notify me if btc < 19000', 'price.last < 19000'],
    ['alert btc 24000', 'price.last > 24000'],
    ['alert btc 19000', 'price.last < 19000'],
    ['alert create btc 24000', 'price.last > 24000'],
    ['alert create price.last > 24000 btc', 'price.last > 24000'],
    ['alert price.last<19000 btc', 'price.last < 19000'],
    ['alert create price.last below 19k btc', 'price.last < 19000'],
  ])('%s fires when the level is reached from where the value is', async (line, condition) => {
    const store = memoryStore();
    const { title, actions = [] } = await ask(line, { store, data });
    expect(title).toBe('Preview: nothing is saved');
    expect((await ask(actions[0]?.command ?? '', { store, data })).title).toBe('Alert created');
    expect(store.kept.rules).toMatchObject([{ condition, symbols: ['BTCUSDT'] }]);
  });

  it('asks on which side where the value is not known, and does what its buttons say', async () => {
    const store = memoryStore();
    const down = dataClient({ marketOverview: new ApiError('/any', 'unreachable', 'down') });
    const asked = await ask('alert btc 24000', { store, data: down });
    expect(asked.title).toBe('Above or below 24000?');
    expect(store.kept.rules).toEqual([]);
    const below = asked.actions?.find(({ label }) => label === 'Below')?.command ?? '';
    const { actions = [] } = await ask(below, { store, data: down });
    expect(store.kept.rules).toEqual([]);
    await ask(actions[0]?.command ?? '', { store, data: down });
    expect(store.kept.rules).toMatchObject([{ condition: 'price.last < 24000' }]);
  });
});

describe('stop', () => {
  const given = () =>
    memoryStore({
      subscriptions: [
        { ...subscription({ receiver: caller.receiver }), id: 's1' },
        { ...subscription({ receiver: caller.receiver }), id: 's2', file: 'team.yaml' },
      ],
      rules: [rule({ receiver: caller.receiver, name: 'Breakout' })],
    });

  it('pauses what the chat has set, says what goes on, and is undone by its button', async () => {
    const store = given();
    const stopped = await ask('/stop', { store });
    expect(stopped.title).toBe('Alerts here are stopped, but not all');
    expect(stopped.summary).toContain('Breakout\nStill on, set by team.yaml');
    expect(stopped.summary).toContain('Nothing was deleted.');
    expect(store.kept.subscriptions.map(({ paused }) => paused)).toEqual([true, false]);
    expect(store.kept.rules).toMatchObject([{ paused: true }]);
    const again = await ask(stopped.actions?.[0]?.command ?? '', { store });
    expect(again.title).toBe('Alerts come here again');
    expect([...store.kept.subscriptions, ...store.kept.rules].every(({ paused }) => !paused)).toBe(true);
  });

  it('names the hooks that post on', async () => {
    const store = given();
    store.kept.hooks.push(hook({ receiver: caller.receiver, name: 'TradingView' }) as never);
    expect((await ask('stop', { store })).summary).toContain('Hooks still post here: TradingView.');
  });

  it('says so where there is nothing to stop, and to those who may not', async () => {
    expect((await ask('stop', { store: memoryStore() })).summary).toContain('No alerts come here');
    const member = { ...caller, rights: memberRights };
    expect((await ask('stop', { store: given(), caller: member })).summary).toContain('those who manage');
  });
});

describe('an empty time zone', () => {
  it('is none in settings', async () => {
    const store = memoryStore();
    await ask('settings zone=Asia/Tokyo theme=dark', { store });
    expect((await ask('settings zone=""', { store })).title).toBe('Settings changed');
    expect(await store.preferences.of(caller.receiver)).toEqual({ theme: 'dark' });
  });

  it('is left out in subscriptions, from forms too', async () => {
    const store = memoryStore();
    await ask({ name: 'subscribe', input: { quiet: '22:00-07:00', zone: '' } }, { store });
    expect(store.kept.subscriptions).toMatchObject([{ quietHours: { timeZone: 'UTC' } }]);
  });

  it('is UTC on the page', () => {
    expect(pageQuery.parse({ timeZone: '' }).timeZone).toBe('UTC');
  });

  it('and any other empty input is named', async () => {
    expect((await ask('silence symbol="" for=1h')).summary).toContain('symbol is empty');
  });
});

describe('a sentence in a language without a grammar is read as nothing else, and its reader is told which ones are read', () => {
  it.each([
    ['pt', 'btc acima de 24000'],
    ['pt', 'btc sobe 5% em 1 h'],
    ['pt', 'btc queda de 5%'],
    ['ru', 'btc выше 24000'],
    ['ru', 'btc упал на 5% за час'],
    ['tr', 'btc 24000 üstünde'],
    ['tr', 'btc %5 düşerse'],
  ] as const)('%s: %s', async (language, sentence) => {
    const store = memoryStore();
    const { failure, summary } = await ask(`alert ${sentence}`, {
      store,
      data,
      caller: { ...caller, language },
    });
    expect(failure).toBeDefined();
    expect(say(summary ?? '', { ...plainReader, language })).toMatch(/English.*Español.*中文/);
    expect(store.kept.rules).toEqual([]);
  });

  it('whoever reads English is told of the word alone', async () => {
    const { summary } = await ask('alert btc zzz 24000', { store: memoryStore(), data });
    expect(say(summary ?? '', plainReader)).not.toContain('中文');
  });
});
