import { describe, expect, test } from 'vitest';
import { type Alert, type Change, revise, type Severity } from '#src/alert/alert.ts';
import { alertCard } from '#src/card/alert-card.ts';
import { sayCard } from '#src/card/say-card.ts';
import { plainReader } from '#src/language/say.ts';
import { renderDiscord } from '#src/platforms/discord/render.ts';
import { renderTelegram } from '#src/platforms/telegram/render.ts';
import { renderText } from '#src/platforms/terminal/render.ts';
import { hour, minute } from '#src/runtime/units.ts';

function saidCard(...given: Parameters<typeof alertCard>) {
  const { reader: _, ...card } = sayCard(alertCard(...given), plainReader);
  return card;
}

const change = (symbol: string, over: Partial<Change> = {}): Change => ({
  status: 'firing',
  labels: { kind: 'funding-extreme', symbol },
  severity: 'warning',
  annotations: { title: `Funding of ${symbol}`, summary: 'z is 2.4.', facts: [], dataTime: 1_000 },
  ...over,
});
const episode = (...changes: readonly [Change, number][]): Alert => {
  let open: Alert | undefined;
  for (const [each, now] of changes) open = revise(open, each, now) ?? open;
  if (open === undefined) throw new Error('the changes make no alert');
  return open;
};
const fired = (symbol = 'BTCUSDT') => episode([change(symbol), 0]);

describe('a single alert', () => {
  test('firing: it shows its own words, severity, source, time of the data and possible actions', () => {
    expect(saidCard([fired()], { source: 'simulated, 240 ×' })).toEqual({
      title: 'Funding of BTCUSDT',
      summary: 'z is 2.4.',
      severity: 'warning',
      status: 'firing',
      facts: [],
      actions: [
        { label: 'BTC now', command: 'coin BTCUSDT' },
        { label: 'Why', command: 'why funding-extreme BTCUSDT' },
        { label: 'Silence ▸', command: 'silence funding-extreme BTCUSDT' },
      ],
      dataTime: 1_000,
      source: 'simulated, 240 ×',
    });
  });

  test.each<[string, readonly [Change, number][], string]>([
    [
      'escalated',
      [
        [change('A'), 0],
        [change('A', { severity: 'critical' }), hour],
      ],
      'Escalated from warning to critical after 1 h.',
    ],
    [
      'eased',
      [
        [change('A'), 0],
        [change('A', { severity: 'info' }), hour],
      ],
      'Eased from warning to info after 1 h.',
    ],
    [
      'going on',
      [
        [change('A'), 0],
        [change('A'), 90 * minute],
      ],
      'Going on for 1 h 30 min.',
    ],
    [
      'resolved',
      [
        [change('A'), 0],
        [change('A', { status: 'resolved' }), 130 * minute],
      ],
      'Resolved after 2 h 10 min.',
    ],
  ])('%s: this is said before anything else', (_, changes, line) => {
    expect(saidCard([episode(...changes)]).summary).toBe(`${line}\nz is 2.4.`);
  });

  test('resolved: there is nothing left to mute', () => {
    const card = saidCard([episode([change('A'), 0], [change('A', { status: 'resolved' }), hour])]);
    expect(card.status).toBe('resolved');
    expect(card.actions).toBeUndefined();
  });

  test('a daily post to the operator offers no commands, which do not know its kind', () => {
    const only = { notifier: 'telegram', address: { chatId: '7' } };
    const cardOf = (labels: Change['labels']) => saidCard([episode([change('A', { labels, only }), 0])]);
    expect(cardOf({ kind: 'alive', day: '20000' }).actions).toBeUndefined();
    expect(cardOf({ kind: 'own-rule', rule: 'r1' }).actions).toHaveLength(3);
    expect(cardOf({ kind: 'hook/h1' }).actions).toHaveLength(3);
  });

  test('a button opens what it names: no chart of the regime for an alert that has none of its own', () => {
    const labelled = (labels: Change['labels'], over: Partial<Change['annotations']> = {}) => {
      const { annotations } = change('A');
      const made = change('A', { labels, annotations: { ...annotations, ...over } });
      return saidCard([episode([made, 0])]).actions?.map(({ label, command }) => [
        label,
        command.split(' ')[0],
      ]);
    };
    const chart = { title: 'Fear', unit: '', series: [{ name: 'Index', points: [[1, 2] as const] }] };
    const always = [
      ['Why', 'why'],
      ['Silence ▸', 'silence'],
    ];
    expect(labelled({ kind: 'fear-greed' })).toEqual(always);
    expect(labelled({ kind: 'fear-greed' }, { chart })).toEqual([['Chart', 'chart'], ...always]);
    expect(labelled({ kind: 'listing', symbol: 'ETHUSDT' })).toEqual([['ETH now', 'coin'], ...always]);
    expect(labelled({ kind: 'x', symbol: 'ETHUSDT' }, { chart })).toEqual([['Chart', 'chart'], ...always]);
  });

  test('resolved: its facts are those of its peak, and it says so', () => {
    const stale = [{ name: 'Candles', value: 'stale, 2 h old' }];
    const { annotations } = change('A');
    const firing = change('A', { annotations: { ...annotations, facts: stale } });
    const alert = episode([firing, 0], [change('A', { status: 'resolved' }), hour]);
    const facts = [{ name: 'Figures', value: 'from the peak of the alert' }, ...stale];
    expect(saidCard([episode([firing, 0])]).facts).toEqual(stale);
    expect(saidCard([alert]).facts).toEqual(facts);
    expect(saidCard([alert, { ...alert, id: 'other' }]).facts).toEqual(facts);
  });

  test('unknown: it is neither firing nor resolved', () => {
    const card = saidCard([fired()], { unknownFor: 25 * minute });
    expect(card.status).toBeUndefined();
    expect(card.summary).toContain('Unknown: no fresh data for 25 min.');
  });

  test('late: it says by how much', () => {
    expect(saidCard([fired()], { lateBy: hour }).summary).toContain('Delivered 1 h late.');
  });
});

describe('a group', () => {
  const unwind = (symbol: string, pct: number, name = 'OI unwinds') =>
    episode([
      change(symbol, {
        annotations: {
          ...change(symbol).annotations,
          prominence: Math.abs(pct),
          inGroup: { name, row: `${symbol} ${pct}`, change: { symbol, pct } },
        },
      }),
      0,
    ]);

  test('of changes of one kind shows the number of markets, their median and bitcoin’s, largest first', () => {
    const alerts = [unwind('ETHUSDT', -1.5), unwind('BTCUSDT', -1.3), unwind('SOLUSDT', -2.5)];
    const card = saidCard(alerts);
    expect(card.title).toBe('OI unwinds in 3 markets, median −1.5%, BTC −1.3%');
    expect(card.table?.rows.map(([row]) => row)).toEqual(['SOLUSDT -2.5', 'ETHUSDT -1.5', 'BTCUSDT -1.3']);
  });

  test('omits bitcoin’s change if it is not included, and has no median for two kinds', () => {
    const [eth, sol] = [unwind('ETHUSDT', -1.5), unwind('SOLUSDT', -2.5)];
    expect(saidCard([eth, sol]).title).toBe('OI unwinds in 2 markets, median −2.0%');
    expect(saidCard([eth, unwind('SOLUSDT', 2, 'OI builds up')]).title).toMatch(/^2 alerts: /);
  });

  test('has the worst severity, the oldest data and a row for each alert', () => {
    const other = episode([change('ETHUSDT', { severity: 'critical' }), 5]);
    const ended = episode([change('SOLUSDT'), 0], [change('SOLUSDT', { status: 'resolved' }), hour]);
    const card = saidCard([fired(), other, ended]);
    expect(card).toMatchObject({
      title: '3 alerts: Extreme funding',
      severity: 'critical',
      status: 'updated',
      dataTime: 1_000,
    });
    expect(card.summary).toBe('2 going on, 1 resolved.\nz is 2.4.');
    expect(card.table?.rows.at(-1)).toEqual(['Funding of SOLUSDT', 'Warning', 'Resolved after 1 h']);
  });

  test('has facts above its table only if all active alerts share them', () => {
    const one = (
      symbol: string,
      facts: readonly (readonly [string, string])[],
      over: Partial<Change> = {},
    ) => {
      const { annotations } = change(symbol);
      const said = { ...annotations, facts: facts.map(([name, value]) => ({ name, value })) };
      return [change(symbol, { annotations: said, ...over }), 0] satisfies [Change, number];
    };
    const alerts = [
      episode(
        one('A', [
          ['Settled', '08:00'],
          ['z', '2.4'],
          ['Side', 'longs'],
        ]),
      ),
      episode(
        one('B', [
          ['Settled', '08:00'],
          ['z', '3.1'],
          ['Side', 'longs'],
        ]),
      ),
      episode(one('C', []), one('C', [['Settled', '16:00']], { status: 'resolved' })),
    ];
    expect(saidCard(alerts).facts).toEqual([
      { name: 'Settled', value: '08:00' },
      { name: 'Side', value: 'longs' },
    ]);
    expect(saidCard(alerts.slice(1)).facts).toHaveLength(3);
  });

  test('is sorted: active alerts, the worst first, then the most prominent, then the oldest', () => {
    const one = (symbol: string, at: number, severity: Severity, prominence?: number) => {
      const { annotations } = change(symbol);
      const said = { ...annotations, title: symbol, ...(prominence !== undefined && { prominence }) };
      return episode([change(symbol, { severity, annotations: said }), at]);
    };
    const card = saidCard([
      one('E', 1, 'warning'),
      one('D', 0, 'warning'),
      one('B', 2, 'warning', 3.5),
      one('A', 3, 'critical', 1),
      one('C', 1, 'warning', 2.1),
    ]);
    expect(card.table?.rows.map(([title]) => title)).toEqual(['A', 'B', 'C', 'D', 'E']);
  });

  describe('of a whole settlement with a hundred alerts', () => {
    const alerts = Array.from({ length: 100 }, (_, index) => {
      const symbol = `A${index}USDT`;
      const title = `${symbol} funding extreme: +0.0812% per 8 h (z 3.1)`;
      return episode([change(symbol, { annotations: { ...change(symbol).annotations, title } }), index]);
    });
    const card = sayCard(alertCard(alerts, { source: 'simulated, 240 ×' }), plainReader);

    test('says on Telegram how many more there are than it shows, and everywhere its source', () => {
      const [{ embeds }] = renderDiscord(card);
      const { html } = renderTelegram(card, { limit: 4_096 });
      const shown = html.match(/A\d+USDT/g)?.length ?? 0;
      expect(shown).toBeGreaterThan(30);
      expect(html).toContain(`… and ${100 - shown} more`);
      expect(embeds[0].footer?.text).toContain('simulated');
      expect(html).toContain('simulated');
    });

    test('is complete in the terminal, with a line for each', () => {
      const rows = renderText(card, { columns: 100 }).match(/^A\d+USDT.*z 3\.1.*Firing$/gm);
      expect(rows).toHaveLength(100);
    });

    test('is complete in Discord, each row with its figures', () => {
      const text = renderDiscord(card)
        .map(({ embeds }) => embeds[0].description)
        .join('\n');
      expect(
        text.match(/^- \*\*A\d+USDT.*z 3\.1.*\*\* · Severity: Warning · Status: Firing$/gm),
      ).toHaveLength(100);
    });
  });

  test('is never empty', () => expect(() => saidCard([])).toThrow(RangeError));
});
