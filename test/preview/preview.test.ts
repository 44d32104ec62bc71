import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Alert, revise } from '#src/alert/alert.ts';
import type { Rule } from '#src/alert/rule.ts';
import type { PastReplay } from '#src/preview/job.ts';
import { followAlerts, keptAlerts, type PastAlerts } from '#src/preview/past-alerts.ts';
import { longestWait, type Preview, previewOf } from '#src/preview/preview.ts';
import { createPreviews, type Previews, type PreviewsOptions } from '#src/preview/previews.ts';
import type { SeenPast } from '#src/rules/past-readings.ts';
import { day, hour, minute, second } from '#src/runtime/units.ts';
import { fakeClock } from '../support/clock.ts';

const start = Date.parse('2026-01-01T00:00:00Z');

const revision = (over: Partial<Alert> & { kind?: string; at: number }): Alert => {
  const { kind = 'oi-momentum', at, ...rest } = over;
  return {
    status: 'firing',
    labels: { kind, symbol: 'BTCUSDT' },
    severity: 'warning',
    annotations: { title: '', summary: '', facts: [], dataTime: at },
    event: { title: '', summary: '', facts: [], dataTime: at },
    end: null,
    id: `${kind}-1`,
    fingerprint: kind,
    revision: 1,
    previousSeverity: 'warning',
    peak: 'warning',
    newsRevision: 1,
    startsAt: start,
    updatedAt: start + at,
    endsAt: rest.status === 'resolved' ? start + at : null,
    ...rest,
  };
};
const down = { kind: 'data-quality', severity: 'critical' } as const;
const rules = [{ by: { kind: 'data-quality', minSeverity: 'critical' as const }, holds: ['oi-momentum'] }];

describe('the announcements of an alert count', () => {
  const cases: [rule: string, revisions: readonly Alert[], announcements: readonly number[]][] = [
    ['when it fires', [revision({ at: 0 }), revision({ at: hour, status: 'resolved', revision: 2 })], [0]],
    [
      'anew when it gets worse',
      [revision({ at: 0 }), revision({ at: hour, status: 'updated', severity: 'critical', revision: 2 })],
      [0, hour],
    ],
    [
      'not when it merely goes on',
      [revision({ at: 0 }), revision({ at: hour, status: 'updated', revision: 2 })],
      [0],
    ],
    ['not where it began before anyone looked', [revision({ at: 0, status: 'updated', revision: 4 })], []],
    [
      'at the end of what held it back',
      [
        revision({ at: 0, ...down }),
        revision({ at: minute }),
        revision({ at: hour, ...down, status: 'resolved', revision: 2 }),
      ],
      [hour],
    ],
    [
      'never where it was over before that',
      [
        revision({ at: 0, ...down }),
        revision({ at: minute }),
        revision({ at: 2 * minute, status: 'resolved', revision: 2 }),
        revision({ at: hour, ...down, status: 'resolved', revision: 2 }),
      ],
      [],
    ],
  ];
  test.each(cases)('%s', (_, revisions, announcements) => {
    const followed = followAlerts(rules);
    for (const one of revisions) followed.add(one);
    const [about] = followed.alerts().filter(({ labels }) => labels.kind === 'oi-momentum');
    expect(about?.announcements.map(({ at }) => at - start)).toEqual(announcements);
  });
});

describe('the parts of an event', () => {
  const event = { before: 30 * minute, after: hour };
  const whole = [{ by: { kind: 'cascade', minSeverity: 'info' as const }, holds: ['oi-momentum'], event }];
  const cascade = (at: number, over: Partial<Alert> = {}) =>
    revision({ kind: 'cascade', at, startsAt: start + at, ...over });
  const part = (at: number, over: Partial<Alert> = {}) => revision({ at, startsAt: start + at, ...over });
  const [both, alone] = [['*'], ['oi-momentum']];
  const cases: [
    rule: string,
    revisions: readonly Alert[],
    wanted: readonly string[],
    expected: readonly number[],
  ][] = [
    ['is in its post', [cascade(0), part(minute)], both, [0]],
    ['is told where the event is not', [cascade(0), part(minute)], alone, [minute]],
    ['and was told before it stays so', [part(0), cascade(10 * minute)], both, [0, 10 * minute]],
    ['but not where it still waited', [part(0), cascade(10 * second)], both, [10 * second]],
    [
      'is news again where it gets worse long after',
      [
        cascade(0),
        part(minute),
        cascade(0, { status: 'resolved', revision: 2, updatedAt: start + hour, endsAt: start + hour }),
        part(minute, { status: 'updated', severity: 'critical', revision: 2, updatedAt: start + 3 * hour }),
      ],
      both,
      [0, 3 * hour],
    ],
  ];
  test.each(cases)('%s', (_, revisions, wanted, expected) => {
    const followed = followAlerts(whole);
    for (const one of revisions) followed.add(one);
    const past = { from: start, to: start + day, alerts: followed.alerts(), since: {} };
    const kinds = ['cascade', 'oi-momentum'].map((name) => ({
      name,
      preset: 'quiet' as const,
      groupWait: 30 * second,
    }));
    const wish = { kinds: wanted, symbols: ['*'], minSeverity: 'info' as const };
    const preview = previewOf(past, { wish, kinds, universe: [], source: 'replayed' });
    expect(preview.alerts.map(({ at }) => at - start)).toEqual(expected);
  });
});

const pastAlert = (kind: string, symbol: string, at: number, severity: 'info' | 'warning' | 'critical') => ({
  labels: { kind, symbol },
  startsAt: start + at,
  endsAt: null,
  announcements: [{ at: start + at, severity }],
});
const kinds = [
  { name: 'funding-extreme', preset: 'quiet', groupWait: 30_000 },
  { name: 'oi-momentum', preset: 'standard', groupWait: 0 },
] as const;
const past: PastAlerts = {
  from: start,
  to: start + 30 * day,
  alerts: [
    pastAlert('funding-extreme', 'BTCUSDT', hour, 'critical'),
    pastAlert('funding-extreme', 'ETHUSDT', hour + 1_000, 'critical'),
    pastAlert('oi-momentum', 'BTCUSDT', day, 'warning'),
    pastAlert('oi-momentum', 'SOLUSDT', day, 'info'),
  ],
  since: { 'funding-extreme': start, 'oi-momentum': start + 10 * day, 'own-rule': start },
};
const options = { kinds, universe: ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'], source: 'replayed' } as const;
const all = { kinds: ['*'], symbols: ['*'], minSeverity: 'info' } as const;

describe('the preview of a subscription', () => {
  const cases: [rule: string, wish: typeof all | object, alerts: number, posts: number][] = [
    ['everything; what comes in one moment is one post', {}, 4, 3],
    ['symbols', { symbols: ['BTCUSDT'] }, 2, 2],
    ['groups of symbols', { symbols: ['top2'] }, 3, 2],
    ['kinds', { kinds: ['oi-momentum'] }, 2, 2],
    ['from a severity on', { minSeverity: 'warning' }, 3, 2],
  ];
  test.each(cases)('%s', (_, over, alerts, posts) => {
    const preview = previewOf(past, { ...options, wish: { ...all, ...over } });
    expect([preview.alerts.length, preview.posts]).toEqual([alerts, posts]);
  });

  test.each<[minSeverity: 'info' | 'warning' | 'critical', alerts: number, posts: number]>([
    ['info', 2, 4],
    ['warning', 2, 3],
    ['critical', 1, 1],
  ])('counts an alert that gets worse as another post, from %s on', (minSeverity, alerts, posts) => {
    const worsening = {
      ...pastAlert('oi-momentum', 'BTCUSDT', hour, 'info'),
      announcements: (['info', 'warning', 'critical'] as const).map((severity, index) => ({
        at: start + (1 + index) * hour,
        severity,
      })),
    };
    const steady = pastAlert('oi-momentum', 'SOLUSDT', day, 'warning');
    const preview = previewOf(
      { ...past, alerts: [worsening, steady] },
      { ...options, wish: { ...all, minSeverity } },
    );
    expect([preview.alerts.length, preview.posts]).toEqual([alerts, posts]);
    expect(preview.presets?.find(({ name }) => name === 'everything')?.posts).toBe(4);
  });

  test('counts a joining alert as another post if it is worse', () => {
    const joining = (symbol: string, at: number, severity: 'info' | 'warning' | 'critical') => ({
      ...pastAlert('oi-momentum', symbol, at, severity),
      wave: 'w',
    });
    const waves = [
      joining('BTCUSDT', 0, 'info'),
      joining('ETHUSDT', minute, 'info'),
      joining('SOLUSDT', hour, 'warning'),
      joining('XRPUSDT', 2 * hour, 'warning'),
    ];
    expect(previewOf({ ...past, alerts: waves }, { ...options, wish: all }).posts).toBe(2);
  });

  test('counts stored alerts that joined one post as one, also when they have gone on', () => {
    const stored = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'].flatMap((symbol, index) => {
      const labels = { kind: 'oi-momentum', symbol };
      const now = start + index * 10 * minute;
      const first = revision({ at: 0, labels, burst: 'w', joins: true, startsAt: now });
      const { burst: _, joins: __, ...goingOn } = revision({ at: 0, labels, status: 'updated' });
      return revise(first, { change: goingOn, now: now + minute }) ?? [];
    });
    const preview = previewOf(keptAlerts(stored, start + day), { ...options, wish: all, source: 'kept' });
    expect([preview.alerts.length, preview.posts]).toEqual([3, 1]);
  });

  test('compares with the presets for the same symbols', () => {
    expect(previewOf(past, { ...options, wish: { ...all, symbols: ['BTCUSDT'] } }).presets).toEqual([
      { name: 'quiet', posts: 1 },
      { name: 'standard', posts: 2 },
      { name: 'everything', posts: 2 },
    ]);
  });

  test('names the kinds that were recorded only later, or never', () => {
    const unseen = { ...past, since: { 'oi-momentum': start + 10 * day } };
    expect(previewOf(unseen, { ...options, wish: all }).partly).toEqual([
      { kind: 'funding-extreme' },
      { kind: 'oi-momentum', since: start + 10 * day },
    ]);
  });

  test.each<[rule: string, symbols: string[], source: 'replayed' | 'kept', expected: object[]]>([
    ['where the replay found more markets', ['*'], 'replayed', [{ kind: 'oi-momentum', maxSymbols: 1 }]],
    ['not where the subscription names few enough', ['BTCUSDT'], 'replayed', []],
    ['not where the alerts are those that were sent', ['*'], 'kept', []],
  ])('names the kinds that watch only some markets, %s', (_, symbols, source, expected) => {
    const kinds = options.kinds.map((kind) =>
      kind.name === 'oi-momentum' ? { ...kind, maxSymbols: 1 } : kind,
    );
    const wish = { ...all, symbols };
    expect(previewOf(past, { ...options, kinds, source, wish }).selective).toEqual(expected);
  });
});

describe('previews', () => {
  const ruleOf = (condition: string) => ({ id: 'r', condition }) as unknown as Rule;
  const rule = ruleOf('price.last > 0.0');
  let whole = true;
  beforeEach(() => {
    whole = true;
  });
  const begin = (
    replay: PastReplay,
    hosted?: { readonly kept?: readonly Alert[]; readonly seen?: SeenPast | 'many' },
    memory?: NonNullable<PreviewsOptions['archive']>['memory'],
  ) => {
    const wall = fakeClock(start + 60 * day);
    const previews = createPreviews({
      replay,
      inhibitRules: [],
      ...(hosted === undefined && {
        archive: {
          url: 'file:x',
          detectors: [],
          whole: () => whole,
          ...(memory !== undefined && { memory }),
        },
      }),
      kept: async () => [...(hosted?.kept ?? [])],
      seen: async () => hosted?.seen,
      kinds,
      universe: () => options.universe,
      now: wall.now,
      wall,
      log: pino({ level: 'silent' }),
    });
    return { wall, previews };
  };

  type Begun = ReturnType<typeof begin>;
  const atOnce = async ({ previews, wall }: Begun, what: Parameters<Previews['preview']>[0]) => {
    const asked = previews.preview(what);
    await wall.advance(500);
    return asked;
  };
  const complete = async (preview: Preview) => (preview.state === 'pending' ? preview.complete : preview);

  test('the standard alerts are computed once a day; until then an answer is pending and later completed', async () => {
    const jobs: PromiseWithResolvers<PastAlerts>[] = [];
    const begun = begin(() => {
      const job = Promise.withResolvers<PastAlerts>();
      jobs.push(job);
      return job.promise;
    });
    const { wall } = begun;
    const first = await atOnce(begun, all);
    expect(first.state).toBe('pending');
    jobs[0]?.resolve({ ...past, to: wall.now() });
    expect((await complete(first)).state).toBe('known');
    expect((await atOnce(begun, all)).state).toBe('known');
    expect(jobs).toHaveLength(1);
    await wall.advance(day);
    expect((await atOnce(begun, all)).state).toBe('known');
    expect(jobs).toHaveLength(2);
    jobs[1]?.reject(new Error('it broke'));
    expect((await atOnce(begun, all)).state).toBe('known');
  });

  test('with a store the past is computed as soon as it is loaded, and available at once after a restart', async () => {
    let kept: PastAlerts | undefined;
    let jobs = 0;
    const memory = {
      recall: async () => kept,
      async remember(one: PastAlerts) {
        kept = one;
      },
    };
    const replay = async () => {
      jobs += 1;
      return { ...past, to: start + 60 * day };
    };
    whole = false;
    const first = begin(replay, undefined, memory);
    await first.wall.advance(minute);
    expect([jobs, kept]).toEqual([0, undefined]);
    whole = true;
    await first.wall.advance(minute);
    expect([jobs, kept?.to]).toEqual([1, start + 60 * day]);
    await first.previews.close();

    whole = false;
    const second = begin(replay, undefined, memory);
    expect((await atOnce(second, all)).state).toBe('known');
    expect(jobs).toBe(1);
    whole = true;
    await second.wall.advance(day + minute);
    expect(jobs).toBe(2);
    await second.previews.close();
  });

  test('a failed computation is reported to those who wait, and tried again at the next request', async () => {
    const jobs: PromiseWithResolvers<PastAlerts>[] = [];
    const begun = begin(() => {
      const job = Promise.withResolvers<PastAlerts>();
      jobs.push(job);
      return job.promise;
    });
    const first = await atOnce(begun, all);
    jobs[0]?.reject(new Error('it broke'));
    expect(await complete(first)).toMatchObject({ state: 'impossible' });
    expect((await atOnce(begun, all)).state).toBe('pending');
    expect(jobs).toHaveLength(2);
  });

  test('waiting ends while an answer can still be edited on every platform', async () => {
    const begun = begin(() => new Promise(() => {}));
    const first = await atOnce(begun, all);
    await begun.wall.advance(longestWait);
    expect(longestWait).toBeLessThan(15 * minute);
    expect(await complete(first)).toMatchObject({ state: 'impossible' });
  });

  test('a rule’s replay continues for those who ask again, and is not started twice', async () => {
    const jobs: PromiseWithResolvers<PastAlerts>[] = [];
    const begun = begin(() => {
      const job = Promise.withResolvers<PastAlerts>();
      jobs.push(job);
      return job.promise;
    });
    const asked = await Promise.all([1, 2].map(() => atOnce(begun, { rule: ruleOf('a') })));
    expect(asked.map(({ state }) => state)).toEqual(['pending', 'pending']);
    jobs[0]?.resolve({ ...past, to: begun.wall.now() });
    expect((await atOnce(begun, { rule: ruleOf('a') })).state).toBe('known');
    expect(jobs).toHaveLength(1);
    // The alerts of another severity are other alerts.
    await atOnce(begun, { rule: { ...ruleOf('a'), severity: 'critical' } });
    expect(jobs).toHaveLength(2);
  });

  test('a rule’s replay that takes too long is ended, and no other runs beside it', async () => {
    let running = 0;
    let most = 0;
    const begun = begin(async (_, signal) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      running -= 1;
      throw signal.reason;
    });
    const asked = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((name) => atOnce(begun, { rule: ruleOf(name) })),
    );
    await begun.wall.advance(10 * minute);
    const settled = await Promise.all(asked.map(complete));
    expect(settled.map(({ state }) => state)).toEqual(Array(5).fill('impossible'));
    expect([most, running]).toEqual([1, 0]);
    await begun.previews.close();
  });

  test('are pending while the past is being loaded, because a part would show too few alerts', async () => {
    let jobs = 0;
    const begun = begin(async () => {
      jobs += 1;
      return past;
    });
    whole = false;
    const asked = await Promise.all([all, { rule }].map((what) => atOnce(begun, what)));
    expect([asked.map(({ state }) => state), jobs]).toEqual([['pending', 'pending'], 0]);
    whole = true;
    await begun.wall.advance(minute);
    const settled = await Promise.all(asked.map(complete));
    expect([settled.map(({ state }) => state), jobs]).toEqual([['known', 'known'], 2]);
  });

  test('a rule’s past begins with the data it needs, and is unknown without any', async () => {
    const looked = async (since: number | undefined) => {
      const begun = begin(async () => ({
        ...past,
        since: since === undefined ? {} : { 'own-rule': since },
      }));
      return atOnce(begun, { rule });
    };
    expect(await looked(start - day)).toMatchObject({ state: 'known', from: start });
    expect(await looked(start + 2 * day)).toMatchObject({ state: 'known', from: start + 2 * day });
    expect((await looked(undefined)).state).toBe('impossible');
  });

  test('a rule does not wait for the standard alerts', async () => {
    const begun = begin(async ({ what }, signal) => {
      if ('rules' in what) return past;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw signal.reason;
    });
    const standard = atOnce(begun, all);
    expect((await atOnce(begun, { rule })).state).toBe('known');
    expect((await standard).state).toBe('pending');
    await begun.previews.close();
  });

  const unasked: PastReplay = async () => {
    throw new Error('there is nothing to replay');
  };

  test('with a hosted service the stored alerts are counted', async () => {
    const begun = begin(unasked, { kept: [revision({ at: 0 })] });
    expect(await atOnce(begun, all)).toMatchObject({
      state: 'known',
      source: 'kept',
      from: start,
      posts: 1,
    });
  });

  test('with a hosted service a part of a stored event is not counted beside it', async () => {
    const event = revision({ at: 0, kind: 'liquidation-cascade' });
    const { id, labels, peak } = event;
    const partOf = { id, labels, peak, title: 'Cascade', late: false };
    const begun = begin(unasked, {
      kept: [event, ...[1, 2].map((n) => revision({ at: n * second, id: `part-${n}`, partOf }))],
    });
    expect(await atOnce(begun, all)).toMatchObject({ state: 'known', posts: 1 });
  });

  test('with a hosted service a part that was sent before its event began is counted', async () => {
    const event = revision({ at: 0, kind: 'liquidation-cascade', startsAt: start + 10 * minute });
    const { id, labels, peak } = event;
    const partOf = { id, labels, peak, title: 'Cascade', late: true };
    const begun = begin(unasked, { kept: [event, revision({ at: 0, id: 'part', partOf })] });
    expect(await atOnce(begun, all)).toMatchObject({ state: 'known', posts: 2 });
  });

  test.each([
    ['never seen', undefined],
    ['seen for less than an hour', { since: start + 60 * day - 59 * minute, seen: [] }],
    ['too much to ask for', 'many'],
  ] as const)('with a hosted service a rule whose past was %s has no preview', async (_, seen) => {
    const begun = begin(unasked, { ...(seen !== undefined && { seen }) });
    expect((await atOnce(begun, { rule })).state).toBe('impossible');
  });

  test('with a hosted service a rule is replayed over what the bot has seen, from when it was seen', async () => {
    const since = start + 59 * day;
    const begun = begin(
      async ({ over, from, to }) => {
        expect([over, from]).toEqual([{ seen: [], universe: options.universe }, since]);
        return { ...past, from, to };
      },
      { seen: { since, seen: [] } },
    );
    expect(await atOnce(begun, { rule })).toMatchObject({
      state: 'known',
      source: 'seen',
      from: since,
      to: start + 60 * day,
    });
  });
});
