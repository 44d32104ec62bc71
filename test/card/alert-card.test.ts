import { describe, expect, test } from 'vitest';
import { type Alert, type Change, revise } from '#src/alert/alert.ts';
import { alertCard } from '#src/card/alert-card.ts';
import { sayCard } from '#src/card/say-card.ts';
import { plainReader } from '#src/language/say.ts';
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
  test('firing: its own words, severity, source and time of the data, and what can be done about it', () => {
    expect(saidCard([fired()], { source: 'simulated, 240 ×' })).toEqual({
      title: 'Funding of BTCUSDT',
      summary: 'z is 2.4.',
      severity: 'warning',
      status: 'firing',
      facts: [],
      actions: [
        { label: 'Silence 1 h', command: 'silence funding-extreme BTCUSDT 1h' },
        { label: 'Silence 4 h', command: 'silence funding-extreme BTCUSDT 4h' },
        { label: 'Silence 24 h', command: 'silence funding-extreme BTCUSDT 24h' },
        { label: 'Chart', command: 'coin BTCUSDT' },
        { label: 'Why', command: 'why BTCUSDT' },
        { label: 'Mute this kind', command: 'silence funding-extreme 30d' },
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
  ])('%s: says so before anything else', (_, changes, line) => {
    expect(saidCard([episode(...changes)]).summary).toBe(`${line}\nz is 2.4.`);
  });

  test('resolved: nothing is left to mute', () => {
    const card = saidCard([episode([change('A'), 0], [change('A', { status: 'resolved' }), hour])]);
    expect(card.status).toBe('resolved');
    expect(card.actions).toBeUndefined();
  });

  test('unknown: neither firing nor resolved', () => {
    const card = saidCard([fired()], { unknownFor: 25 * minute });
    expect(card.status).toBeUndefined();
    expect(card.summary).toContain('Unknown: no fresh data for 25 min.');
  });

  test('late: says by how much', () => {
    expect(saidCard([fired()], { lateBy: hour }).summary).toContain('Told late, by 1 h.');
  });
});

describe('a group', () => {
  test('has the worst severity, the oldest data and a row for each', () => {
    const other = episode([change('ETHUSDT', { severity: 'critical' }), 5]);
    const ended = episode([change('SOLUSDT'), 0], [change('SOLUSDT', { status: 'resolved' }), hour]);
    const card = saidCard([fired(), other, ended]);
    expect(card).toMatchObject({
      title: '3 alerts: funding-extreme',
      severity: 'critical',
      status: 'updated',
      dataTime: 1_000,
    });
    expect(card.summary).toBe('2 going on, 1 resolved.');
    expect(card.table?.rows[2]).toEqual(['Funding of SOLUSDT', 'Warning', 'Resolved after 1 h']);
  });

  test('is never empty', () => expect(() => saidCard([])).toThrow(RangeError));
});
