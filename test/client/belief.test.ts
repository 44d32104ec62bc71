import { describe, expect, it } from 'vitest';
import { createBelief, type MarketStatement } from '#src/client/belief.ts';
import { day, hour, minute, second } from '#src/runtime/units.ts';
import { start } from '#test/support/alerts.ts';

const year = 365 * day;
const url = 'http://hosted';
/** A statement of a simulated market that runs 60 × as fast as the wall clock, `after` wall ms. */
const said = (after: number, statement: Partial<MarketStatement> = {}): MarketStatement => ({
  market: url,
  live: false,
  run: 'a',
  time: start + 60 * after,
  speed: 60,
  wall: start + after,
  ready: true,
  ...statement,
});

describe('what a data service says of a past market', () => {
  it.each<[string, Partial<MarketStatement>]>([
    ['a century ahead', { time: start + 74 * year }],
    ['an hour ahead of its clock', { time: start + 2 * hour }],
    ['a day behind', { time: start - day }],
    ['half an hour behind', { time: start - hour / 2 }],
    ['another run', { run: 'b' }],
    ['another speed', { speed: 3_600 }],
    ['another speed, by which its time is explained', { time: start + 9 * day, speed: 20_000 }],
    ['another market', { market: 'live', live: true, run: undefined }],
  ])('%s is not believed, and what was believed goes on', (_, lie) => {
    const belief = createBelief(said(0), false);
    expect(belief.judge(said(minute, lie))).toMatch(/^the service/);
    expect(belief.last()).toEqual(said(0));
    expect(belief.judge(said(2 * minute))).toBeUndefined();
    const { ready: _ready, ...last } = said(2 * minute);
    expect(belief.last()).toEqual(last);
  });

  it('is believed once it has said the same for ten minutes without a break', () => {
    const belief = createBelief(said(0), false);
    const other = (after: number) =>
      belief.judge(said(after, { run: 'b', time: start - 9 * day + 60 * after }));
    for (let after = 0; after < 10 * minute; after += 30 * second) expect(other(after)).toBeDefined();
    expect(other(10 * minute)).toBeUndefined();
    expect(belief.last()).toMatchObject({ run: 'b' });
  });

  it('must begin again after it has said anything else', () => {
    const belief = createBelief(said(0), false);
    const at = (after: number, ahead: number) =>
      belief.judge(said(after, { time: start + ahead + 60 * after }));
    expect(at(minute, day)).toBeDefined();
    expect(at(9 * minute, 0)).toBeUndefined();
    expect(at(11 * minute, day)).toBeDefined();
    expect(at(12 * minute, 9 * day)).toBeDefined();
    expect(at(21 * minute + 30 * second, 9 * day)).toBeDefined();
    expect(at(22 * minute, 9 * day)).toBeUndefined();
  });

  it('is believed of a time that its clock explains: also after an outage in which it stood still, or ran on', () => {
    for (const time of [start, start + hour, start + 60 * hour]) {
      const belief = createBelief(said(0), false);
      expect(belief.judge(said(hour, { time }))).toBeUndefined();
    }
  });

  it('is believed after the clock was set back that what was believed was heard by', () => {
    const belief = createBelief(said(0, { wall: start + 42 * second }), false);
    expect(belief.judge(said(20 * second, { time: start + day }))).toBeDefined();
    expect(belief.judge(said(20 * second))).toBeUndefined();
  });

  it('is believed at its own speed once the service is ready, and at a lower one whenever it loads', () => {
    const belief = createBelief(undefined, false);
    const loading = (after: number, time: number) => said(after, { speed: 1, ready: false, time });
    const [past, later] = [start + minute, start + 62 * minute];
    expect(belief.judge(loading(0, start))).toBeUndefined();
    expect(belief.judge(loading(minute, past))).toBeUndefined();
    expect(belief.judge(said(2 * minute, { time: later }))).toBeUndefined();
    expect(belief.judge(loading(3 * minute, later + minute))).toBeUndefined();
    expect(belief.judge(said(4 * minute, { time: later + hour }))).toBeUndefined();
    expect(belief.judge(said(5 * minute, { time: later + hour, speed: 61 }))).toBeDefined();
  });

  it('keeps the run of a market when a service stops to name it', () => {
    const belief = createBelief(said(0), false);
    expect(belief.judge(said(minute, { run: undefined }))).toBeUndefined();
    expect(belief.judge(said(2 * minute, { run: 'b' }))).toBeDefined();
  });
});

it('a live market is never given up for another one on a service’s word, and its time is the machine’s', () => {
  const belief = createBelief(
    said(0, { market: 'live', live: true, run: undefined, speed: 1, time: start }),
    false,
  );
  for (let after = 0; after < day; after += minute)
    expect(belief.judge(said(after))).toContain('is the http://hosted one, and this bot');
  expect(belief.judge(said(day, { market: 'live', live: true, time: start + 74 * year }))).toBeUndefined();
});

it('the first word, and every word of a service that is a part of this process, is believed', () => {
  expect(createBelief(undefined, false).judge(said(0))).toBeUndefined();
  const own = createBelief(said(0), true);
  expect(own.judge(said(minute, { run: 'b', time: start - 9 * day }))).toBeUndefined();
});
