import { describe, expect, test } from 'vitest';
import { matches, stillAsksFor } from '#src/alert/subscription.ts';
import detector from '#src/detectors/regime-transition.ts';
import { ApiError } from '#src/runtime/errors.ts';
import { hour, iso } from '#src/runtime/units.ts';
import { start } from '#test/support/alerts.ts';
import { answers, dataClient } from '#test/support/data.ts';
import { asking, brief, drive, observe, said } from './drive.ts';

const names: Record<string, string> = {
  '+': 'RISK_ON',
  '-': 'RISK_OFF',
  '0': 'TRANSITION',
  '?': 'CAPITULATION',
};
type Observation = Parameters<typeof detector.step>[1];
const at = (hours: number, state: string, over = {}, price?: number): readonly [number, Observation] => {
  const now = start + hours * hour;
  const { regimeProbabilities: given } = answers;
  const answer = { ...given, current: { ...given.current, state }, timestamp: iso(now), ...over };
  const prices = new Map(price === undefined ? [] : [['BTCUSDT', price]]);
  return [now, { answer, prices, history: undefined, markets: [] }];
};
/** Observes one state per 6 hours, one character each. */
const run = (states: string, options = {}) =>
  brief(
    drive(
      detector,
      options,
      [...states].map((each, index) => at(index * 6, names[each] ?? '')),
    ).changes,
  );

describe('regime transition', () => {
  test.each([
    ['the regime of the baseline is not told', '---', '. . .'],
    ['a turn is told at once', '+-', '. +warning'],
    [
      'its message lives as long as the regime, brought up to date once a day',
      '+---------',
      '. +warning . . . ~warning . . . ~warning',
    ],
    ['the next turn ends it', '+-+', '. +warning -warning+warning'],
    ['a turn back is a turn', '+-+-', '. +warning -warning+warning -warning+warning'],
    ['a transition that returns is no turn', '+-0-', '. +warning ~warning ~warning'],
    ['nor is one at the baseline’s side', '+0+0', '. . . .'],
    ['a transition that goes on to the other side is one turn, told there', '+0-', '. . +warning'],
    ['a transition of days leaves the alert open', '+-00000-', '. +warning ~warning . . . ~warning ~warning'],
    ['the first side after a transition is a turn', '00+', '. . +warning'],
    ['a regime nobody knows is told as it is', '+?', '. +warning'],
  ])('%s', (_rule, states, expected) => {
    expect(run(states)).toEqual(expected);
  });

  test('an option requires confirmation, for a service that publishes the likeliest state', () => {
    expect(run('+-+--', { confirm: 2 })).toEqual('. . . . +warning');
  });

  test('says since when, how long and how bitcoin moved since, and ends with that', () => {
    const { changes } = drive(detector, {}, [
      at(0, 'RISK_ON', {}, 22_000),
      at(6, 'RISK_OFF', {}, 20_000),
      at(54, 'RISK_OFF', {}, 17_200),
      at(60, 'TRANSITION', {}, 17_000),
      at(80, 'RISK_ON', {}, 21_000),
    ]);
    expect(changes.flat().map((each) => said(each).title)).toEqual([
      'Regime: risk-off (was risk-on)',
      'Risk-off since 1 Jan 2026, 06:00 UTC, 2 d; BTC −14.0% since',
      'Risk-off since 1 Jan 2026, 06:00 UTC, 2 d 6 h; BTC −15.0% since',
      'Risk-off is over, now risk-on; BTC +5.0% meanwhile',
      'Regime: risk-on (was risk-off)',
    ]);
    expect(changes[3]?.map(said)[0]).toMatchObject({
      summary: 'The last trend has stalled, without a direction of its own.',
      facts: expect.arrayContaining([{ name: 'Now', value: 'Transition' }]),
    });
  });

  test('omits an unavailable price, and reports the regime all the same', async () => {
    const { changes } = drive(detector, {}, [
      at(0, 'RISK_ON'),
      at(6, 'RISK_OFF'),
      at(30, 'RISK_OFF'),
      at(31, 'RISK_ON'),
    ]);
    expect(changes.flat().map((each) => said(each).title)).toEqual([
      'Regime: risk-off (was risk-on)',
      'Risk-off since 1 Jan 2026, 06:00 UTC, 1 d',
      'Risk-off is over, now risk-on',
      'Regime: risk-on (was risk-off)',
    ]);
    const without = dataClient({ marketOverview: new ApiError('/market/overview', 'unreachable', 'no') });
    expect((await observe(detector, without)).prices.size).toBe(0);
    const { prices } = await observe(detector, dataClient());
    expect(prices.get('BTCUSDT')).toBeGreaterThan(0);
  });

  test('the regime is unknown while its data is down', () => {
    const { changes } = drive(detector, {}, [
      at(0, 'RISK_ON'),
      at(1, 'RISK_OFF', { dataHealth: 'DOWN' }),
      at(2, 'RISK_ON'),
    ]);
    expect(brief(changes)).toEqual('. . .');
  });

  test('an old or repeated timestamp is ignored', () => {
    const { changes } = drive(detector, {}, [at(5, 'RISK_ON'), at(5, 'RISK_OFF'), at(4, 'RISK_OFF')]);
    expect(brief(changes)).toEqual('. . .');
  });

  test('says from what to what and how sure, and predicts nothing', () => {
    const [, , turn] = drive(detector, {}, [at(0, 'RISK_ON'), at(1, 'RISK_ON'), at(2, 'RISK_OFF')]).changes;
    expect(turn?.[0]?.labels).toEqual({ kind: 'regime-transition', to: 'RISK_OFF' });
    expect(turn?.map(said)[0]).toMatchObject({
      title: 'Regime: risk-off (was risk-on)',
      facts: expect.arrayContaining([
        { name: 'Turn', value: 'Risk-on → risk-off' },
        { name: 'Probability', value: 'Risk-on 81% · Risk-off 4%' },
      ]),
    });
  });

  test('leads with what is likelier, as long as it is, and ends without it', () => {
    const likelier = (hours: number, state: string, to: string | null) =>
      at(hours, state, {
        probabilities: { RISK_ON: 0.6, RISK_OFF: 0.3, TRANSITION: 0.1 },
        transition: to === null ? null : { from: state, to, type: 'REVERSAL', magnitude: 0.3 },
      });
    const { changes } = drive(detector, {}, [
      at(0, 'RISK_ON'),
      at(6, 'RISK_OFF'),
      likelier(7, 'RISK_OFF', 'RISK_ON'),
      likelier(8, 'RISK_OFF', 'RISK_ON'),
      likelier(9, 'RISK_OFF', null),
      likelier(10, 'RISK_ON', null),
    ]);
    expect(changes.map((each) => each.map((one) => said(one).title))).toEqual([
      [],
      ['Regime: risk-off (was risk-on)'],
      ['Risk-on likely, 60%; still labelled risk-off since 1 Jan 2026, 06:00 UTC'],
      [],
      ['Risk-off since 1 Jan 2026, 06:00 UTC, 3 h'],
      ['Risk-off is over, now risk-on', 'Regime: risk-on (was risk-off)'],
    ]);
  });

  describe('of a single market', () => {
    const row = (state: string, hours: number) => ({
      symbol: 'ETHUSDT',
      state,
      probabilities: { RISK_ON: 0.1, RISK_OFF: 0.8, TRANSITION: 0.1 },
      score: -70,
      transition: null,
      timestamp: iso(start + hours * hour),
    });
    const withMarket = (hours: number, state: string): readonly [number, Observation] => {
      const [now, observation] = at(hours, 'RISK_ON');
      return [now, { ...observation, markets: [row(state, hours)] }];
    };

    test('tells a turn to whoever names the market, and to nobody else', () => {
      const { changes } = drive(detector, {}, [withMarket(0, 'RISK_ON'), withMarket(6, 'RISK_OFF')]);
      const [turn] = changes.flat();
      expect(turn && said(turn).title).toBe('ETH: Regime: risk-off (was risk-on)');
      const labels = turn?.labels ?? { kind: '' };
      expect(labels).toMatchObject({ kind: 'regime-transition', symbol: 'ETHUSDT', to: 'RISK_OFF' });
      const asks = (symbols: readonly string[]) =>
        matches({ kinds: ['*'], symbols }, labels, ['BTCUSDT', 'ETHUSDT']);
      expect(asks(['ETHUSDT'])).toBe(true);
      expect(asks(['*'])).toBe(false);
      expect(asks(['top20'])).toBe(false);
      expect(stillAsksFor({ kinds: ['*'], symbols: ['top20'] }, { labels })).toBe(false);
    });

    test('is asked about only while somebody names one, and its alert ends when nobody does', async () => {
      const { asked, data } = asking('regimeMarkets');
      await observe(detector, data, { symbols: ['BTCUSDT'] });
      await observe(detector, data, { symbols: ['BTCUSDT', 'ETHUSDT'], named: [] });
      expect(asked).toEqual([]);
      const { markets } = await observe(detector, data, { symbols: ['ETHUSDT'] });
      expect(markets.map(({ symbol }) => symbol)).toEqual(['ETHUSDT']);
      const { changes } = drive(detector, {}, [
        withMarket(0, 'RISK_ON'),
        withMarket(6, 'RISK_OFF'),
        at(7, 'RISK_ON'),
        at(60, 'RISK_ON'),
        at(61, 'RISK_ON'),
      ]);
      expect(brief(changes)).toEqual('. +warning . -warning .');
    });
  });
});
