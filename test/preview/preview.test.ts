import { describe, expect, test } from 'vitest';
import { type Alert, revise } from '#src/alert/alert.ts';
import { followAlerts, keptAlerts, type PastAlerts } from '#src/preview/past-alerts.ts';
import { previewOf } from '#src/preview/preview.ts';
import { day, hour, minute, second } from '#src/runtime/units.ts';

import { revision, start } from './revision.ts';

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
      return revise(first, goingOn, now + minute) ?? [];
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
