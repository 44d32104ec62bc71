import { describe, expect, it } from 'vitest';
import { startPostgres } from '#test/support/postgres.ts';
import { runKills } from './kill.ts';
import { episodes } from './storm.ts';
import { type Arrival, judge, type Question } from './verdict.ts';

const faultless = {
  doubledTooOften: [],
  unlogged: [],
  stale: [],
  lost: [],
  wrong: [],
  forgotten: [],
};

it.each([
  ['a file', 6, async (): Promise<string | undefined> => undefined],
  ['Postgres', 5, async (): Promise<string | undefined> => (await startPostgres()).fresh()],
] as const)(
  'a bot killed at any moment on %s loses nothing, doubles only what was in flight and goes on where it was',
  async (_, kills, open) => {
    const url = await open();
    const outcome = await runKills({ kills, seed: 7, ...(url !== undefined && { url }) });
    const verdict = outcome.verdicts.webhook;
    expect.soft(verdict).toMatchObject(faultless);
    expect.soft(outcome.complaints).toBe('');
    // Without alerts the verdict would prove nothing.
    expect(verdict?.alerts, JSON.stringify(outcome.during)).toBeGreaterThan(0);
    expect(verdict?.notifications).toBeGreaterThan(verdict?.alerts ?? 0);
    expect(outcome.during.sending).toBeGreaterThan(0);
  },
);

/** Tests of the judge itself: each case has the fault that it is named after. */
describe('the verdict', () => {
  const counted = new Map([['storm', 20]]);
  const whole = [...episodes('storm', 20)].flatMap(([name, revisions]) =>
    revisions.map(({ revision }) => `${name} rev ${revision}`),
  );
  const arrival = (body: string, life = 0, key = body): Arrival => ({
    notifier: 'webhook',
    life,
    receiver: 'single',
    key,
    body,
  });
  const all = whole.map((body) => arrival(body));
  const one = arrival(whole[0] ?? '');
  const again = { ...one, life: 1 };
  const question = (symbol: string, life = 0): Question => ({ life, symbol });
  const faultsOf = (
    arrivals: readonly Arrival[],
    questions: readonly Question[] = [],
    noted?: ReadonlyMap<string, readonly string[]>,
  ) => {
    const { lost, ...rest } = judge(arrivals, questions, counted, noted);
    // The test passes arrivals of only one receiver.
    return { ...rest, lost: lost.filter((text) => text.startsWith('single:')) };
  };
  const none = { lost: [], wrong: [], forgotten: [], doubledTooOften: [] };

  it('finds no fault where there is none', () => {
    const asked = ['STORMBASELINE', 'STORM0', 'STORM1'].map((symbol) => question(symbol));
    expect(faultsOf(all, asked)).toMatchObject({ ...none, doubled: 0 });
  });

  it('accepts one repeated message per kill if it was the last before the kill, and one repeated poll', () => {
    const asked = [question('STORM4'), question('STORM4', 1), question('STORM5', 1)];
    expect(faultsOf([one, again, ...all.slice(1)], asked)).toMatchObject({ ...none, doubled: 1 });
  });

  it.each<[string, readonly Arrival[], object]>([
    ['a last revision that never came', all.slice(0, -1), { lost: [expect.any(String)] }],
    ['a double in one life', [...all, { ...one }], { doubledTooOften: [expect.any(String)] }],
    ['a double of what was not in flight', [...all, again], { doubledTooOften: [expect.any(String)] }],
    [
      'two doubles for one kill',
      [one, again, again, ...all.slice(1)],
      { doubledTooOften: [expect.any(String)] },
    ],
    [
      'the same under another key',
      [...all, { ...one, key: 'x' }],
      { wrong: expect.arrayContaining([expect.any(String)]) },
    ],
    ['what nobody there wants', [...all, arrival('surge S0USDT 0 rev 1')], { wrong: [expect.any(String)] }],
    [
      'another text under a known key',
      [one, { ...again, body: 'storm S0USDT 0 rev 2' }, ...all.slice(1)],
      { wrong: [expect.any(String)] },
    ],
  ])('finds %s', (_, arrivals, faults) => {
    expect(faultsOf(arrivals)).toMatchObject(faults);
  });

  describe('in a chat', () => {
    const said = (text: string, life = 0, act: Arrival['act'] = 'post', key = text): Arrival => ({
      ...arrival(text, life, key),
      act,
    });
    const [begun = '', worse = ''] = whole;
    const rest = whole.slice(2).map((text) => said(text));
    const title = (text: string) => new Map([['single', [text]]]);

    it('accepts a message found and edited, and a doubled one that is logged and may have a newer text', () => {
      expect(faultsOf([said(begun), said(begun, 1, 'edit'), said(worse, 1), ...rest])).toMatchObject({
        ...none,
        doubled: 0,
      });
      const doubled = [said(begun), said(worse, 1, 'post', begun), ...rest];
      expect(faultsOf(doubled, [], title(worse))).toMatchObject({
        ...none,
        doubled: 1,
        unlogged: [],
        stale: [],
      });
    });

    it('accepts that a post found and edited before a kill is found again, but no worse turn by an edit of a known post', () => {
      const twice = [said(begun), said(begun, 1, 'edit'), said(worse, 2, 'edit', begun), ...rest];
      expect(faultsOf(twice)).toMatchObject({ ...none, doubled: 0 });
      const known = [said(begun), said(begun, 0, 'edit'), said(worse, 1, 'edit', begun), ...rest];
      expect(faultsOf(known).wrong).toContainEqual(expect.stringContaining('calls nobody'));
    });

    it('accepts a double begun before the same post of a killed process arrived', () => {
      const unheard = { ...said(begun, 3), unheard: true };
      const posted = [unheard, said(worse, 2, 'post', begun), ...rest];
      expect(faultsOf(posted, [], title(worse))).toMatchObject({ ...none, doubled: 1, unlogged: [] });
      expect(faultsOf([said(begun, 3), said(worse, 2, 'post', begun), ...rest])).toMatchObject({
        doubledTooOften: [expect.any(String)],
      });
    });

    it('accepts a late post of a frozen process and names the messages that it left outdated', () => {
      const late = (arrival: Arrival): Arrival => ({ ...arrival, late: true });
      const newest = said(worse, 0, 'post', begun);
      const posted = [newest, late(said(begun, 0, 'post')), ...rest];
      expect(faultsOf(posted, [], title(worse))).toMatchObject({ ...none, doubled: 1, stale: [] });
      // The last message of an episode is followed by nothing that could correct it.
      const [[name, revisions] = ['', []]] = [...episodes('storm', 20)].filter(
        ([, { length }]) => length > 1,
      );
      const final = `${name} rev ${revisions.at(-1)?.revision}`;
      const older = said(`${name} rev 1`, 0, 'edit', final);
      const whatever = [...all.map(({ body }) => said(body)), older];
      expect(faultsOf(whatever.with(-1, late(older)))).toMatchObject({
        ...none,
        stale: [],
        overtaken: [expect.stringContaining(name)],
      });
      expect(faultsOf(whatever)).toMatchObject({
        wrong: expect.arrayContaining([expect.stringContaining('went back')]),
        overtaken: [],
      });
    });

    it.each<[string, readonly Arrival[], object]>([
      ['a double that is not noted', [said(begun), said(begun, 1)], { unlogged: [expect.any(String)] }],
      [
        'a post doubled where its edit was in flight',
        [said(begun), said(begun, 0, 'edit'), said(begun, 1)],
        { doubledTooOften: [expect.any(String)] },
      ],
      [
        'an escalation that calls nobody',
        [said(begun), said(worse, 0, 'edit', begun)],
        { wrong: [expect.stringContaining('calls nobody')] },
      ],
      [
        'a message left behind',
        [said(begun), said(worse), said(whole[2] ?? '', 0, 'edit', begun)],
        { stale: [expect.any(String)] },
      ],
    ])('finds %s', (_, arrivals, faults) => {
      expect(faultsOf(arrivals)).toMatchObject(faults);
    });
  });

  it.each([
    ['a baseline taken anew', [question('STORM4'), question('STORMBASELINE', 1)]],
    ['a count that starts again', [question('STORM4'), question('STORM0', 1)]],
    ['a step left out', [question('STORM4'), question('STORM6', 1)]],
    ['a step done twice in one life', [question('STORM4'), question('STORM4')]],
    [
      'two that poll at once',
      ['/a', '/b', '/a'].map((path, step) => ({ ...question(`STORM${4 + Math.floor(step / 2)}`), path })),
    ],
  ])('finds %s', (_, asked) => {
    expect(faultsOf(all, asked).forgotten).toHaveLength(1);
  });

  it('accepts a step that another process repeats after one that was stopped', () => {
    const asked = ['/a', '/b', '/b'].map((path, step) => ({
      ...question(`STORM${4 + Math.floor(step / 2)}`),
      path,
    }));
    expect(faultsOf(all, asked).forgotten).toEqual([]);
  });
});
