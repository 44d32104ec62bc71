import { describe, expect, test } from 'vitest';
import type { Answer } from '#src/contract/index.ts';
import detector from '#src/detectors/regime-transition.ts';
import { hour, iso } from '#src/runtime/units.ts';
import { answers } from '#test/support/data.ts';
import { brief, drive, said } from './drive.ts';

const start = Date.UTC(2026, 0, 1);
const names: Record<string, string> = {
  '+': 'RISK_ON',
  '-': 'RISK_OFF',
  '0': 'TRANSITION',
  '?': 'CAPITULATION',
};
const at = (hours: number, state: string, over = {}): readonly [number, Answer<'regimeProbabilities'>] => {
  const now = start + hours * hour;
  const { regimeProbabilities: answer } = answers;
  return [now, { ...answer, current: { ...answer.current, state }, timestamp: iso(now), ...over }];
};
/** One character per 6 hours. */
const run = (states: string, options = {}) =>
  brief(
    drive(
      detector,
      options,
      [...states].map((each, index) => at(index * 6, names[each] ?? '')),
    ).told,
  );

describe('regime transition', () => {
  test.each([
    ['the regime of the baseline is not told', '---', ['', '', '']],
    ['a turn is told at once: the service has confirmed it', '+-', ['', 'firing critical']],
    ['a turn settles after 24 h', '+-----', ['', 'firing critical', '', '', '', 'resolved critical']],
    ['the next turn ends the one before', '+-0', ['', 'firing critical', 'resolved critical, firing info']],
    [
      'a turn back is a turn',
      '+-+-',
      ['', 'firing critical', 'resolved critical, firing warning', 'resolved warning, firing critical'],
    ],
    ['a regime nobody knows is told as it is', '+?', ['', 'firing warning']],
    [
      'after it has settled only the next turn is told',
      '+-------+',
      ['', 'firing critical', '', '', '', 'resolved critical', '', '', 'firing warning'],
    ],
  ])('%s', (_rule, states, expected) => {
    expect(run(states)).toEqual(expected);
  });

  test('a service that publishes the likeliest state can be confirmed', () => {
    expect(run('+-+--', { confirm: 2 })).toEqual(['', '', '', '', 'firing critical']);
  });

  test('while its data is down the regime is not known', () => {
    const { told } = drive(detector, {}, [
      at(0, 'RISK_ON'),
      at(1, 'RISK_OFF', { dataHealth: 'DOWN' }),
      at(2, 'RISK_ON'),
    ]);
    expect(brief(told)).toEqual(['', '', '']);
  });

  test('an old or repeated timestamp is no news', () => {
    const { told } = drive(detector, {}, [at(5, 'RISK_ON'), at(5, 'RISK_OFF'), at(4, 'RISK_OFF')]);
    expect(brief(told)).toEqual(['', '', '']);
  });

  test('says from what to what, how sure, and predicts nothing', () => {
    const [, , told] = drive(detector, {}, [at(0, 'RISK_ON'), at(1, 'RISK_ON'), at(2, 'RISK_OFF')]).told;
    expect(told?.[0]?.labels).toEqual({ kind: 'regime-transition', to: 'RISK_OFF' });
    expect(told?.map(said)[0]).toMatchObject({
      title: 'Regime: risk-off (was risk-on)',
      facts: expect.arrayContaining([
        { name: 'Turn', value: 'Risk-on → risk-off' },
        { name: 'Confidence', value: '81%' },
        { name: 'p(risk-off)', value: '4%' },
      ]),
    });
  });
});
