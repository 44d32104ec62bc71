import { beforeAll, describe, expect, it } from 'vitest';
import { directionalChange3, published } from '#test/bench/regime/baselines.ts';
import { publishedProbabilities, scoreProbabilities } from '#test/bench/regime/probabilities.ts';
import { type Hour, type State, score } from '#test/bench/regime/score.ts';
import { bars, scoreOf } from '#test/bench/regime.ts';
import { recordedBars } from '#test/support/recorded-market.ts';

const states = { N: 'RISK_ON', F: 'RISK_OFF', T: 'TRANSITION' } as const;
/** One letter per hour: N for on, F for off, T for transition. */
const hours = (publishedStates: string, hindsightStates: string): Hour[] =>
  [...publishedStates].map((letter, i) => ({
    time: i * 3_600_000,
    published: states[letter as 'N'],
    hindsight: states[hindsightStates[i] as 'N'],
  }));

describe('score', () => {
  it('perfect: agreement and kappa 1, lag 0, nothing missed, false or wrong', () => {
    const path = `${'T'.repeat(50)}${'N'.repeat(50)}${'F'.repeat(50)}`;
    expect(score(hours(path, path))).toMatchObject({
      agreement: 1,
      kappa: 1,
      opposite: 0,
      lagMedian: 0,
      missed: 0,
      falseShare: 0,
      wrong: 0,
    });
  });

  it.each<[string, string, string, Partial<ReturnType<typeof score>>]>([
    ['kappa: always the same answer has none', 'NNNN', 'NNFF', { agreement: 0.5, kappa: 0 }],
    ['opposite: only ON for OFF and OFF for ON', 'NFNT', 'FNNF', { opposite: 0.5 }],
    ['flips: changes a day', 'NFNF', 'NNNN', { flipsPerDay: 18 }],
    ['lag: hours into the segment', 'TTTNN', 'TNNNN', { lagMedian: 2, missed: 0 }],
    ['missed: published only after the segment', 'TTTNN', 'TNNFT', { missed: 1 }],
    ['false: back within 48 h', 'NTNNN', 'NNNNN', { falseShare: 0.5 }],
    ['wrong: entered while hindsight is opposite', 'TNTF', 'TFTF', { wrong: 0.5 }],
  ])('%s', (_, publishedStates, hindsightStates, wanted) => {
    expect(score(hours(publishedStates, hindsightStates))).toMatchObject(wanted);
  });
});

describe('the published label on recorded BTC', () => {
  const recorded = recordedBars();
  let labels: State[] = [];
  beforeAll(() => {
    labels = published(recorded);
  });

  it('meets every required level of quality', () => {
    const result = scoreOf(() => labels);
    for (const [name, bar] of Object.entries(bars)) {
      const value = result[name as keyof typeof bars];
      if ('most' in bar) expect(value, name).toBeLessThanOrEqual(bar.most);
      else expect(value, name).toBeGreaterThanOrEqual(bar.least);
    }
  });

  it('gives calibrated probabilities: Brier score, confidence and every bin of 200 hours', () => {
    const { brier, confidence, agreement, worstBin } = scoreProbabilities(publishedProbabilities());
    expect(brier).toBeLessThanOrEqual(0.57);
    expect(Math.abs(confidence - agreement)).toBeLessThanOrEqual(0.04);
    expect(Math.abs(worstBin)).toBeLessThanOrEqual(0.08);
  });

  it('turns RISK_OFF between 7 and 10 November 2022', () => {
    const turns = recorded
      .filter((_, i) => labels[i] === 'RISK_OFF' && labels[i - 1] !== 'RISK_OFF')
      .map(({ time }) => new Date(time).toISOString());
    expect(turns.filter((time) => time > '2022-11-07' && time < '2022-11-11')).toEqual([
      '2022-11-08T03:00:00.000Z',
    ]);
  });

  it('the scorer gives directional change the scores that were measured elsewhere', () => {
    const result = scoreOf(directionalChange3);
    expect(result.flipsPerDay).toBeCloseTo(0.23, 2);
    expect(result.agreement).toBeCloseTo(0.54, 2);
    expect(result.kappa).toBeCloseTo(0.3, 2);
    expect(result.missed).toBeCloseTo(0.15, 2);
    expect(result.falseShare).toBeCloseTo(0.09, 2);
    expect(result.wrong).toBeCloseTo(0.03, 2);
  });
});
