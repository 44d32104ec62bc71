import { describe, expect, it } from 'vitest';
import { dataBlind, revise } from '#src/alert/alert.ts';
import { alertCard } from '#src/card/alert-card.ts';
import type { Card } from '#src/card/card.ts';
import { digestCard } from '#src/card/digest-card.ts';
import { sayCard } from '#src/card/say-card.ts';
import { catalogueOf, languages } from '#src/language/languages.ts';
import { plainReader } from '#src/language/say.ts';
import { hour } from '#src/runtime/units.ts';
import { fieldsOf } from '#src/shell/fields.ts';
import { delivery, firing, silence, subscription } from '#test/support/alerts.ts';
import { ask, botStatus, caller, commands } from '#test/support/commands.ts';
import { now } from '#test/support/data.ts';
import { detectors } from '#test/support/detectors.ts';
import { memoryStore } from '#test/support/memory-store.ts';

const kinds = detectors.map(({ name, description, preset, sample }) => ({
  name,
  description,
  ...(preset !== undefined && { preset }),
  ...(sample !== undefined && { sample }),
}));
const slugs = [...detectors.map(({ name }) => name), 'own-rule'].filter((name) => name.includes('-'));

/** Returns what people read of a card; the commands behind its buttons are not read. */
const read = ({ title, summary = '', facts = [], table, actions = [], chart }: Card<string>): string =>
  [
    title,
    summary,
    ...facts.flatMap(({ name, value }) => [name, value]),
    ...(table?.columns ?? []),
    ...(table?.rows.flat() ?? []),
    ...actions.map(({ label }) => label),
    chart?.title ?? '',
  ].join('\n');

const isClean = (text: string, about: string) => {
  for (const slug of slugs) expect(text, about).not.toContain(slug);
  expect(text, about).not.toMatch(/\bn = 0\b|\bundefined\b|NaN/);
};

const kind = 'funding-extreme';
const old = firing({ symbol: 'BTCUSDT', title: 'BTC funding is extreme' }, now - 2 * hour);
const blind = { ...old, id: 'blind', labels: { kind: dataBlind, detector: 'volatility-regime' } };
const { receiver } = caller;
const held = delivery({
  ...{ at: now - hour, alertId: old.id, alert: old, receiver, title: 'BTC funding is extreme' },
  ...{ outcome: 'suppressed', reason: { code: 'silenced', text: 'silenced' } },
});
const given = () =>
  memoryStore({
    alerts: [old],
    deliveries: [held],
    subscriptions: [
      { ...subscription({ receiver, kinds: [kind, 'oi-momentum'] }), id: 's0' },
      { ...subscription({ receiver, kinds: detectors.map(({ name }) => name) }), id: 's1' },
    ],
    silences: [silence({ id: 's0', receiver, kinds: [kind], startsAt: now, endsAt: now + hour })],
  });
const score = { sense: 'size', n: 3, days: 2, estimated: 0, horizon: 24 * hour } as const;
const known = {
  kinds,
  status: async () => ({
    ...botStatus,
    detectors: kinds.map(({ name }) => ({ name, lastRun: now - hour, problem: null })),
  }),
  records: {
    callers: async () => [],
    scores: async () => kinds.map(({ name }) => ({ kind: name, ...score })),
    replaying: () => false,
  },
} as const;

const required: Readonly<Record<string, string>> = { id: 's0', file: '{"tocsin":1}' };
const lines = [
  ...commands.map((command) =>
    [
      command.name,
      ...fieldsOf(command).flatMap((field) => (field.required ? [required[field.key]] : [])),
    ].join(' '),
  ),
  'why funding-extreme btc',
  'silence funding-extreme',
  'silence funding-extreme btc 1h',
  'subscribe funding,oi btc',
  'subscribe preview=yes',
  'subscriptions s0',
  'scorecard funding-extreme',
  'history funding-extreme where=all',
  'unsilence all',
];

describe.each(languages)('in %s', (language) => {
  const asker = { ...caller, language };

  it.each(lines)('%s calls every kind of alert by its name', async (line) => {
    isClean(read(await ask(line, { ...known, store: given(), caller: asker })), line);
  });

  it('every alert does', () => {
    const reader = { ...plainReader, language };
    const samples = kinds.flatMap(({ sample }) => {
      const alert = sample && revise(undefined, sample(now), now);
      return alert === undefined || alert === null ? [] : [alert];
    });
    const ended = samples.map((alert) => ({ ...alert, status: 'resolved' as const, endsAt: now + hour }));
    for (const alert of [...samples, ...ended, blind])
      isClean(read(sayCard(alertCard([alert]), reader)), alert.labels.kind);
    isClean(read(sayCard(alertCard(samples), reader)), 'a group');
    isClean(read(sayCard(digestCard(samples, {}), reader)), 'a digest');
  });

  it('every kind has a name', () => {
    const { labels } = catalogueOf(language);
    for (const slug of [...detectors.map(({ name }) => name), 'own-rule'])
      expect(labels.get(slug) ?? '', slug).toMatch(/\S/);
  });
});
