import { ownRule, type Rule } from '#src/alert/rule.ts';
import { createRuleDesk } from '#src/app/console/rule-desk.ts';
import type { ReadRecord, RecordCell } from '#src/platforms/web/ports/record-table.ts';
import type { RuleDesk } from '#src/platforms/web/ports/rule-desk.ts';
import { hour, minute } from '#src/runtime/units.ts';
import type { CommandContext } from '#src/shell/command.ts';
import { commandContext } from './commands.ts';
import { memoryStore } from './memory-store.ts';
import { rule } from './rules.ts';

const markets = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT', '1000PEPEUSDT', 'AVAXUSDT', 'LINKUSDT'];
const kinds = [
  { name: 'regime-transition', description: 'Regime', preset: 'quiet' },
  { name: 'funding-extreme', description: 'Funding', preset: 'standard' },
  { name: 'price-move', description: 'Moves', preset: 'everything' },
] as const;

const receiver = { notifier: 'web', address: { room: 'main' } };
const ownRules: readonly Rule[] = [
  rule({
    id: 'abcd2345',
    receiver,
    condition: 'funding.z > 2.5',
    clear: 'funding.z <= 1',
    symbols: ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'],
    hold: 10 * minute,
    severity: 'critical',
  }),
  rule({
    id: 'efgh6789',
    receiver,
    condition: 'funding.z > 2 && oi.ratePct > 1',
    clear: 'funding.z < 0.5',
    symbols: ['*'],
    paused: true,
  }),
];

/** Creates a desk with two alerts and presets with counts; its drafts are the real ones. */
export function someDesk(now: number, rules: readonly Rule[] = ownRules): RuleDesk {
  const known: Partial<CommandContext> = {
    kinds,
    preview: async () => ({
      state: 'known',
      source: 'replayed',
      from: now - 30 * 24 * hour,
      to: now,
      alerts: [],
      posts: 0,
      partly: [],
      selective: [],
      presets: [
        { name: 'quiet', posts: 9 },
        { name: 'standard', posts: 64 },
        { name: 'everything', posts: 801 },
      ],
    }),
    store: memoryStore({ rules: [...rules] }),
    universe: markets,
    now,
    source: () => 'simulated, 240 ×',
  };
  const firing = { alert: { labels: { kind: ownRule, rule: 'abcd2345', symbol: 'BTCUSDT' } } };
  return createRuleDesk({
    ask: async () => ({
      title: 'Preview: nothing is saved',
      summary: '24 h change above 2%\nIn the last 30 days you’d have had 4 alerts, 0.1 a day.',
    }),
    contextOf: async (caller) => commandContext({ ...known, caller }),
    log: { page: async () => [firing as never] },
  });
}

const cell = (n: number, found?: [difference: number, reach: number, shows: number]): RecordCell => {
  if (found === undefined) return { n, said: `no evidence yet (${n} alerts on 3 days)` };
  const [difference, reach, shows] = found;
  const edge = [difference - reach, difference + reach] as const;
  return {
    n,
    said: 'Nothing in it. Past moves, not a forecast.',
    found: {
      difference,
      edge,
      shows,
      edgeText: edge.map((share) => Math.round(share * 100)).join(' … '),
      showsText: String(Math.ceil(shows * 100)),
      hitsText: '54% (50%)',
      says: edge[0] > 0 ? 'more' : edge[1] < 0 ? 'less' : shows <= 0.1 ? 'nothing' : 'few',
    },
  };
};

export const someRecord: ReadRecord = async () => ({
  rows: [
    ['funding-extreme', cell(64, [0.12, 0.08, 0.11]), cell(311, [0.05, 0.06, 0.09])],
    ['liquidation-burst', cell(12), cell(148, [-0.09, 0.07, 0.1])],
    ['long-short-extreme', cell(0), cell(0)],
    ['oi-momentum', cell(41, [-0.02, 0.15, 0.21]), cell(902, [0.01, 0.03, 0.05])],
  ].flatMap(([kind, posted, replayed]) =>
    [1, 4, 24].map((hours) => ({
      kind: kind as string,
      horizon: hours * hour,
      after: `${hours} h`,
      about: '$500K in 5 min; says that the price moves more than usual',
      posted: posted as RecordCell,
      recent: cell(12),
      replayed: replayed as RecordCell,
    })),
  ),
  method: ['Past moves after posted alerts, not a forecast.', 'Replayed: counted apart.'],
});
