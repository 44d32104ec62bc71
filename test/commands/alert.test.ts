import { beforeEach, describe, expect, test } from 'vitest';
import type { CompletePreview } from '#src/preview/preview.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { day } from '#src/runtime/units.ts';
import type { Caller, CommandContext } from '#src/shell/command.ts';
import { memberRights } from '#src/shell/rights.ts';
import type { Store } from '#src/store/ports.ts';
import { addresses } from '#test/support/addresses.ts';
import { ask as asking, askReporting, caller } from '#test/support/commands.ts';
import { dataClient, now } from '#test/support/data.ts';
import { ownStore } from '#test/support/own-store.ts';

let store: Store;
beforeEach(async () => {
  store = await ownStore('file::memory:', { addresses });
});

const ask = (line: string, over: Partial<CommandContext> = {}) => asking(line, { store, ...over });
const kept = async () => (await store.rules.of(caller.receiver))[0];
const theirs: Caller = { ...caller, receiver: { notifier: 'web', address: { room: 'theirs' } } };

test('an alert can be made of a metric and a level in any order, and its current state is shown', async () => {
  const card = await ask('alert create funding.z above=2.5 symbol=btc for=10m mode=once until=7d');
  expect(JSON.stringify(card.facts)).toContain('already met');
  expect(await kept()).toMatchObject({
    condition: 'funding.z > 2.5',
    clear: null,
    symbols: ['BTCUSDT'],
    hold: 600_000,
    mode: 'once',
    expiresAt: now + 7 * 86_400_000,
    severity: 'warning',
  });
});

test('an alert that is met by no market says how many were checked, if not all were', async () => {
  const nowOf = async (line: string) =>
    (await ask(line)).facts?.find(({ name }) => name === 'Now')?.value ?? 'none';
  expect(await nowOf('alert create basis.pct above=1000 all')).toBe(
    'not met now (1 of 7 markets not checked yet)',
  );
  expect(await nowOf('alert create basis.pct above=1000 btc,eth')).toBe('not met anywhere');
});

test.each([
  'alert create price.last above=1 btc',
  'import {"tocsin":1,"subscriptions":[{"kinds":["all"]}]} confirm=yes',
])('rights are checked before anything is posted: %s', async (line) => {
  const posted: unknown[] = [];
  const tryPost = async (...given: unknown[]) => void posted.push(given);
  await ask(line, { caller: { ...caller, rights: memberRights }, tryPost });
  expect(posted).toEqual([]);
  expect(await kept()).toBeUndefined();
});

test.each([
  'alert create price.last above=100k btc for=10m preview=yes',
  `alert create when='regime.state == "RISK_OFF" && price.last > 1' top20 preview=yes`,
])('an alert is previewed, and a button saves it as it was asked: %s', async (line) => {
  const { actions = [] } = await ask(line);
  expect(await kept()).toBeUndefined();
  expect(actions.map(({ label }) => label)).toEqual(['Save', 'Ask again']);
  expect((await ask(actions[1]?.command ?? '')).actions).toEqual(actions);
  await ask(actions[0]?.command ?? '');
  const saved = await kept();
  await store.rules.remove(saved?.id ?? '', caller.receiver);
  await ask(line.replace(' preview=yes', ''));
  expect({ ...(await kept()), id: saved?.id }).toEqual(saved);
});

test.each([
  'alert create price.last above=100k btc for=10m severity=critical name="My level"',
  `alert create when='regime.state == "RISK_OFF" && price.last > 1' clear='price.last < 1' top20 mode=once until=7d`,
  'alert create funding.z below=-2.5 clear=-2 all',
])('what was deleted comes back as it was: %s', async (line) => {
  await ask(line);
  const before = await kept();
  const { actions = [] } = await ask(`alert delete id=${before?.id}`);
  expect(await kept()).toBeUndefined();
  expect(actions.map(({ label }) => label)).toEqual(['Undo']);
  await ask(actions[0]?.command ?? '');
  const after = await kept();
  expect(after).toEqual({ ...before, id: after?.id, createdAt: after?.createdAt });
  // What was paused would be on: the button says so.
  await ask(`alert pause id=${after?.id}`);
  const paused = await ask(`alert delete id=${after?.id}`);
  expect(paused.actions?.map(({ label }) => label)).toEqual(['Create it again, on']);
});

test('the line of a button names the inputs in the order of the usage, however they were typed', async () => {
  const { actions = [] } = await ask(
    'alert create for=10m above=100k preview=yes symbols=btc metric=price.last',
  );
  expect(actions[0]?.command).toBe('alert create metric=price.last symbols=btc above=100k for=10m');
});

describe('an answer with a pending preview', () => {
  const line = 'alert create price.last above=100k btc';
  const pending = () => {
    const { promise, resolve } = Promise.withResolvers<CompletePreview>();
    return { over: { preview: async () => ({ state: 'pending' as const, complete: promise }) }, resolve };
  };
  const previewOf = (alerts: number, posts: number): CompletePreview => ({
    state: 'known',
    source: 'replayed',
    from: now - 30 * day,
    to: now,
    posts,
    alerts: Array.from({ length: alerts }, (_, n) => ({
      at: now - day + n,
      severity: 'warning',
      alert: { labels: { kind: 'own-rule' }, startsAt: now, endsAt: null, announcements: [] },
    })),
    presets: [{ name: 'quiet', posts: 1 }],
    partly: [
      { kind: 'oi-momentum', since: now - day },
      { kind: 'cvd-divergence', since: now - day },
    ],
    selective: [
      { kind: 'basis-flip', maxSymbols: 8 },
      { kind: 'wide-spread', maxSymbols: 5 },
    ],
  });

  test('comes at once, and says when it will be complete in words that stay true', async () => {
    const { over } = pending();
    const { summary } = await ask(line, over);
    expect(summary).toContain('Counting the last 30 days…');
    expect(await kept()).toBeDefined();
  });

  test.each([
    ['none', previewOf(0, 0), 'In the last 30 days you’d have had no alerts.'],
    ['two', previewOf(2, 2), 'In the last 30 days you’d have had 2 alerts.'],
    [
      'two that got worse',
      previewOf(2, 4),
      'In the last 30 days you’d have had 2 alerts in 4 messages (each escalation is another message), 0.1 a day.',
    ],
    [
      'many at once',
      previewOf(863, 795),
      'In the last 30 days you’d have had 863 alerts in 795 messages (simultaneous ones are grouped), 26.5 a day.',
    ],
    [
      'of a short past',
      { ...previewOf(2, 2), from: now - day } as CompletePreview,
      /^Since 1\d Jan .* 2 alerts, 2.0 a day\.$/m,
    ],
  ])('is completed with how many alerts there would have been: %s', async (_, complete, said) => {
    const { over, resolve } = pending();
    const first = await ask(`${line} preview=yes`, over);
    resolve(complete);
    const whole = await first.later;
    expect(whole?.title).toBe(first.title);
    expect(whole?.summary).toEqual(
      typeof said === 'string' ? expect.stringContaining(said) : expect.stringMatching(said),
    );
    expect(whole?.summary).not.toContain('Checking');
    expect(whole?.summary).toContain('watch only some at a time: basis flip (8), wide spread (5).');
    expect(whole?.summary).toMatch(/Data only since 14 Jan .* UTC: OI momentum, CVD divergence\./);
    expect(JSON.stringify(whole?.facts)).toMatch(/Other presets, same (30 days|day)/);
    expect(whole?.source).toBe(first.source);
  });

  test.each<[string, string[]]>([
    [
      'delivery=daily at=18:30',
      ['863 alerts.', 'They come together in a digest (daily at 18:30 UTC), critical ones at once.'],
    ],
    ['quiet=22-7', ['863 alerts.', 'Quiet hours are not taken into account']],
  ])('counts no messages of a subscription with %s, which come otherwise', async (how, said) => {
    for (const preview of ['', ' preview=yes']) {
      const { over, resolve } = pending();
      const first = await ask(`subscribe all btc ${how}${preview}`, over);
      resolve(previewOf(863, 795));
      const whole = await first.later;
      for (const words of said) expect(whole?.summary).toContain(words);
      expect(whole?.summary).not.toMatch(/messages|a day\./);
      expect(JSON.stringify(whole?.facts ?? [])).not.toContain('Other presets');
    }
  });

  test('is completed with a line of explanation if there can be no preview', async () => {
    const { over, resolve } = pending();
    const { later, summary } = await ask(line, over);
    resolve({ state: 'impossible', why: 'It is not kept.' });
    expect((await later)?.summary).toBe(summary?.replace(/Counting.*$/m, 'It is not kept.'));
  });

  test('says that the rest is missing if completing it fails, which is reported', async () => {
    const { later, reported } = await askReporting(line, {
      store,
      preview: async () => ({ state: 'pending', complete: Promise.reject('broken') }),
    });
    expect((await later)?.summary).toMatch(/The rest of the answer is missing\. The log: k3f9\.$/);
    expect(reported).toEqual(['broken']);
  });
});

test('an alert can be made of a condition, about groups', async () => {
  await ask('alert create when="funding.z > 2.5 && oi.ratePct > 1" top20 critical clear="funding.z < 1"');
  expect(await kept()).toMatchObject({ symbols: ['top20'], severity: 'critical', clear: 'funding.z < 1' });
});

test('an alert can be changed, paused, resumed and deleted', async () => {
  await ask('alert create price.last above=100k btc');
  const id = (await kept())?.id ?? '';
  await ask(`alert edit ${id} above=110k clear=105k`);
  expect(await kept()).toMatchObject({ condition: 'price.last > 110000', clear: 'price.last <= 105000' });
  await ask(`alert edit ${id} name="To the moon" mode=once until=7d`);
  await ask(`alert edit ${id} metric=price.last above=120k for=0m severity=info`);
  expect(await kept()).toMatchObject({
    condition: 'price.last > 120000',
    clear: 'price.last <= 105000',
    name: 'To the moon',
    mode: 'once',
    expiresAt: now + 7 * day,
  });
  await ask(`alert edit ${id} clear=none`);
  expect(await kept()).toMatchObject({ condition: 'price.last > 120000', clear: null });
  await ask(`alert pause ${id}`);
  expect(await kept()).toMatchObject({ paused: true });
  await ask('alert resume all');
  expect(await kept()).toMatchObject({ paused: false });
  await ask(`alert delete ${id}`);
  expect(await kept()).toBeUndefined();
  expect((await ask('audit')).table?.rows).toHaveLength(8);
});

test('a condition without an action creates the alert', async () => {
  expect((await ask('alert funding.z above=2 btc')).title).toBe('Alert created');
  expect((await ask('alert list')).table?.rows).toHaveLength(1);
});

test.each<[string, string, RegExp]>([
  ['a level without a metric', 'alert btc above=2', /^What is it about\?/],
  ['a metric there is none of', 'alert create fundin.z above=2 btc', /Did you mean funding.z/],
  ['no market', 'alert create funding.z above=2', /Which markets/],
  ['a condition that cannot be read', 'alert create when="funding.z >" btc', /cannot be read/],
  ['an id there is none of', 'alert pause nothing', /no alerts of its own/],
])('an alert with %s is refused', async (_, line, message) => {
  expect((await ask(line)).summary).toMatch(message);
  expect(await kept()).toBeUndefined();
});

test('only those who manage the place can make and change alerts', async () => {
  const guest = { ...caller, rights: memberRights };
  expect((await ask('alert create funding.z above=2 btc', { caller: guest })).summary).toContain('manage');
  await ask('alert create funding.z above=2 btc');
  expect((await ask('alert delete all', { caller: guest })).summary).toContain('manage');
  expect((await ask('alert', { caller: guest })).table?.rows).toHaveLength(1);
});

test('an alert is saved even if its data is unavailable at the moment', async () => {
  const refused = new ApiError('/funding/extremes', 'unreachable', 'refused');
  const data = dataClient({ fundingExtremes: refused, fundingStandings: refused });
  expect(JSON.stringify(await ask('alert create funding.z above=2 btc', { data }))).toContain(
    'no data right now',
  );
  expect(await kept()).toBeDefined();
});

test.each([
  ['written in another way', 'alert create funding.z above=2 BTCUSDT'],
  ['with an end that is counted from a later moment', 'alert create funding.z above=2 btc until=7d'],
])('the same alert is not created twice: %s', async (_how, line) => {
  await ask('alert create funding.z above=2 btc until=8d');
  expect((await ask(line)).summary).toContain(`already has this alert: ${(await kept())?.id}`);
  expect(await store.rules.of(caller.receiver)).toHaveLength(1);
});

test('an alert that differs from an existing one is created', async () => {
  await ask('alert create funding.z above=2 btc');
  await ask('alert create funding.z above=2 btc severity=critical');
  expect(await store.rules.of(caller.receiver)).toHaveLength(2);
});

test('alerts are exported and imported, once each', async () => {
  await ask('alert create funding.z above=2.5 btc for=10m mode=once clear=1 severity=critical name=Hot');
  await ask('alert create regime.state is=risk_off');
  const json = (await ask('export')).file?.text;
  const preview = await ask(`import ${json}`, { caller: theirs });
  expect(preview.facts?.flatMap(({ name, value }) => (name === 'New alert' ? [value] : [])).sort()).toEqual([
    'Hot',
    'regime.state == "RISK_OFF"',
  ]);
  for (let twice = 0; twice < 2; twice += 1) await ask(`import confirm=yes ${json}`, { caller: theirs });
  const plain = async (place: Caller) =>
    (await store.rules.of(place.receiver))
      .map(({ id: _, receiver: __, ...rest }) => rest)
      .toSorted((a, b) => (a.condition < b.condition ? -1 : 1));
  expect(await plain(theirs)).toEqual(await plain(caller));
});
