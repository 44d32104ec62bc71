import { describe, expect, test } from 'vitest';
import type { EndpointAnswer } from '#src/contract/index.ts';
import detector from '#src/detectors/listing.ts';
import { day, hour, iso, minute } from '#src/runtime/units.ts';
import { brief, drive, looks, said, saidOf } from './drive.ts';

type Answer = EndpointAnswer<'listings'>;
type Row = Answer['data'][number];
const start = Date.UTC(2026, 0, 5, 12);
const at = (index: number) => start + index * hour;
const binance = { name: 'binance', title: 'Binance' };

const change = (look: number, row: Partial<Row>): Row => ({
  symbol: 'XYZUSDT',
  change: 'LISTED',
  timestamp: iso(at(look)),
  ...row,
});
/** Looks every hour at all rows up to then, newest first. */
const run = (looks: number, rows: readonly Row[], more: (look: number) => Partial<Answer> = () => ({})) =>
  drive(
    detector,
    {},
    Array.from({ length: looks }, (_, look) => {
      const data = rows.filter(({ timestamp }) => timestamp <= iso(at(look))).reverse();
      const answer = { data, count: data.length, since: iso(start - day), timestamp: iso(at(look)) };
      return [at(look) + minute, { venue: binance, ...answer, ...more(look) }] as const;
    }),
  ).changes;
const planned = { change: 'DELISTING', effective: iso(at(3)) };

describe('changes in the list of markets', () => {
  test.each<[string, Row[], string]>([
    ['what was there at the baseline is not told', [change(-1, {}), change(0, {})], '. . .'],
    ['what is seen later is told once', [change(1, {})], '. +info .'],
    [
      'what is announced and then traded is two alerts',
      [change(1, { change: 'ANNOUNCED' }), change(2, {})],
      '. +info -info+info',
    ],
    ['a delisting warns', [change(1, planned)], '. +warning .'],
    [
      'it is over when it has happened',
      [change(1, planned), change(2, { change: 'DELISTED' })],
      '. +warning -warning',
    ],
    [
      'and when it is called off',
      [change(1, planned), change(2, { change: 'RETAINED' })],
      '. +warning -warning',
    ],
    [
      'another date for it is said in its post',
      [change(1, planned), change(2, { ...planned, effective: iso(at(99)) })],
      '. +warning ~warning',
    ],
    [
      'one that was not planned warns when it has happened',
      [change(1, { change: 'DELISTED' })],
      '. +warning .',
    ],
    ['one called off that nobody heard of is none', [change(1, { change: 'RETAINED' })], '. . .'],
    [
      'an interval that changes again is another alert',
      [
        change(1, { change: 'INTERVAL', intervalHours: 4, intervalHoursBefore: 8 }),
        change(2, { change: 'INTERVAL', intervalHours: 1, intervalHoursBefore: 4 }),
      ],
      '. +info -info+info',
    ],
    ['what nobody knows is none', [change(1, { change: 'UNHEARD_OF' })], '. . .'],
    [
      'several at once are told together, each by itself',
      [change(1, { symbol: 'AUSDT' }), change(1, { symbol: 'BUSDT' })],
      '. +info+info .',
    ],
  ])('%s', (_, rows, expected) => {
    expect(brief(run(3, rows))).toEqual(expected);
  });

  test('end because they have changed again', () => {
    const changes = run(3, [
      change(1, { change: 'INTERVAL', intervalHours: 4, intervalHoursBefore: 8 }),
      change(2, { change: 'INTERVAL', intervalHours: 1, intervalHoursBefore: 4 }),
    ]);
    expect(saidOf(changes, 'resolved')?.summary).toBe('It has changed again.');
  });

  test('end after a day if they have happened', () => {
    expect(looks(run(30, [change(1, {})])).indexOf('-info')).toBe(25);
  });

  test('end after their date if nothing more is heard of a planned delisting', () => {
    expect(looks(run(90, [change(1, planned)])).indexOf('-warning')).toBe(3 + 72);
  });

  test('that were missed while the bot was off are reported, the latest of each market', () => {
    const rows = [
      change(10, { change: 'ANNOUNCED' }),
      change(40, {}),
      change(50, { symbol: 'OLDUSDT', ...planned }),
      change(60, { symbol: 'OLDUSDT', change: 'DELISTED' }),
    ];
    const answer = (look: number, data: readonly Row[]): Answer => ({
      data: [...data].reverse(),
      count: data.length,
      since: iso(start - day),
      timestamp: iso(at(look)),
    });
    const { changes } = drive(detector, {}, [
      [at(0), answer(0, [])],
      [at(70), answer(70, rows)],
    ]);
    expect(changes[1]?.map(({ labels: { symbol, change } }) => [symbol, change])).toEqual([
      ['XYZUSDT', 'LISTED'],
      ['OLDUSDT', 'DELISTED'],
    ]);
  });

  test('start afresh for another exchange’s list, and open alerts about the earlier one end', () => {
    const rows = [change(1, {}), change(2, { symbol: 'OTHERUSDT' })];
    const other = (look: number) =>
      look < 2 ? {} : { venue: { name: 'hyperliquid', title: 'Hyperliquid' } };
    const changes = run(4, rows, other);
    expect(brief(changes)).toEqual('. +info -info .');
    expect(changes[2]?.map((each) => said(each).summary)).toEqual([
      'Market data now comes from another exchange.',
    ]);
  });
});

describe('the texts of a change in the list', () => {
  const only = (row: Partial<Row>) => {
    const [, [told] = []] = run(2, [change(1, row)]);
    if (told === undefined) throw new Error('nothing was told');
    const { title, summary, facts } = said(told);
    return { title, summary, facts: Object.fromEntries(facts.map(({ name, value }) => [name, value])) };
  };

  test('name a new market’s exchange, start, first price, volume and interval', () => {
    const row = { effective: iso(start), price: 0.42, volume24hUsd: 1_250_000, intervalHours: 4 };
    expect(only(row)).toEqual({
      title: 'New perpetual: XYZ',
      summary:
        'Traded at Binance since 5 Jan 2026, 12:00 UTC. Most alerts about it need days of its past first.',
      facts: {
        Exchange: 'Binance',
        'Trading begins': '5 Jan 2026, 12:00 UTC',
        Price: '0.42',
        'Volume in 24 h': '$1.25M',
        'Funding interval': '4 h',
        Seen: '5 Jan 2026, 13:00 UTC',
      },
    });
  });

  test.each<[string, Partial<Row>, string, string]>([
    [
      'a delisting has its date',
      { change: 'DELISTING', effective: iso(start + day) },
      'XYZ perpetual will be delisted on 6 Jan 2026, 12:00 UTC',
      'Positions still open then are settled by the exchange.',
    ],
    [
      'an interval has what it was',
      { change: 'INTERVAL', intervalHours: 4, intervalHoursBefore: 8 },
      'XYZ settles funding every 4 h instead of 8 h',
      'The same rate per settlement now comes to 2.00 × as much a year.',
    ],
    [
      'a rename has the old name',
      { change: 'RENAMED', symbol: 'POLUSDT', from: 'MATICUSDT' },
      'MATIC perpetual is now POL',
      'The exchange has renamed it. Subscriptions to MATIC do not follow it.',
    ],
  ])('%s', (_, row, title, summary) => {
    expect(only(row)).toMatchObject({ title, summary });
  });

  test('keep the event at its end and say how it went', () => {
    const changes = run(3, [change(1, planned), change(2, { change: 'DELISTED' })]);
    expect(changes[2]?.map(said)).toMatchObject([
      {
        title: 'XYZ perpetual will be delisted on 5 Jan 2026, 15:00 UTC',
        summary: 'It is delisted now: trading has ended.',
      },
    ]);
  });
});
