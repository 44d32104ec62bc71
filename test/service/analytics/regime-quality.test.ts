import { beforeAll, describe, expect, it } from 'vitest';
import { cautiousChange, directionalChange3, published } from '#test/bench/regime/baselines.ts';
import { baseRates, type JudgedHour, scoreProbabilities } from '#test/bench/regime/probabilities.ts';
import { type Hour, score } from '#test/bench/regime/score.ts';
import { bars, judge, probabilityBars, scoreOf } from '#test/bench/regime.ts';

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
  let hours: readonly JudgedHour[] = [];
  beforeAll(() => {
    hours = judge(published);
  });

  it('meets every required level of quality', () => {
    const result = scoreOf(hours);
    for (const [name, bar] of Object.entries(bars)) {
      const value = result[name as keyof typeof bars];
      if ('most' in bar) expect(value, name).toBeLessThanOrEqual(bar.most);
      else expect(value, name).toBeGreaterThanOrEqual(bar.least);
    }
  });

  it('has probabilities far better than the base rates, and is seldom the opposite of the likeliest state', () => {
    const said = scoreProbabilities(hours);
    expect(said?.brier).toBeLessThanOrEqual(probabilityBars.brier.most);
    expect(scoreProbabilities(baseRates(hours))?.brier).toBeGreaterThan(0.65);
    expect(said?.opposite).toBeLessThanOrEqual(probabilityBars.opposite.most);
    expect(said?.longestOpposite).toBeLessThanOrEqual(36);
  });

  it('turns RISK_OFF between 7 and 10 November 2022', () => {
    const turns = hours
      .filter(({ state }, i) => state === 'RISK_OFF' && hours[i - 1]?.state !== 'RISK_OFF')
      .map(({ time }) => new Date(time).toISOString());
    expect(turns.filter((time) => time > '2022-11-07' && time < '2022-11-11')).toHaveLength(1);
  });

  it('the scorer gives directional changes the scores that were measured elsewhere', () => {
    const result = scoreOf(judge(directionalChange3));
    expect(result.flipsPerDay).toBeCloseTo(0.23, 2);
    expect(result.agreement).toBeCloseTo(0.54, 2);
    expect(result.kappa).toBeCloseTo(0.3, 2);
    expect(result.missed).toBeCloseTo(0.15, 2);
    expect(result.falseShare).toBeCloseTo(0.09, 2);
    expect(result.wrong).toBeCloseTo(0.03, 2);
    expect(scoreOf(judge(cautiousChange)).agreement).toBeCloseTo(0.584, 2);
  });
});
