export type State = 'RISK_ON' | 'RISK_OFF' | 'TRANSITION';

export interface Hour {
  /** Open time, ms. */
  readonly time: number;
  readonly published: State;
  readonly hindsight: State;
}

/** Shares are 0 to 1, lags hours; a share or lag of an empty set is NaN. */
export interface RegimeScore {
  readonly flipsPerDay: number;
  readonly agreement: number;
  readonly kappa: number;
  readonly opposite: number;
  readonly lagMedian: number;
  readonly lagP90: number;
  readonly missed: number;
  readonly falseShare: number;
  readonly wrong: number;
}

const hourMs = 3_600_000;
const opposites: Partial<Record<State, State>> = { RISK_ON: 'RISK_OFF', RISK_OFF: 'RISK_ON' };

/**
 * Scores the published label against the hindsight label, hour by hour: flips per day; agreement with Cohen's kappa;
 * opposite labels; the lag from each directional hindsight turn to the first hour published in that direction within
 * its segment (median over all turns, p90 over those detected); missed turns; false: changes a→b with a again within
 * 48 h; wrong: entries into ON or OFF while hindsight says the opposite.
 */
export function score(hours: readonly Hour[]): RegimeScore {
  const states: State[] = ['RISK_ON', 'RISK_OFF', 'TRANSITION'];
  const share = (test: (hour: Hour) => boolean) => hours.filter(test).length / hours.length;
  const agreement = share(({ published, hindsight }) => published === hindsight);
  const chance = states.reduce(
    (sum, state) =>
      sum + share(({ published }) => published === state) * share(({ hindsight }) => hindsight === state),
    0,
  );
  const changes = changesOf(hours, 'published');
  const entries = changes.filter(({ to }) => to !== 'TRANSITION');
  const lags = hindsightLags(hours).sort((a, b) => a - b);
  const detected = lags.filter(Number.isFinite);
  return {
    flipsPerDay: (changes.length * 24) / hours.length,
    agreement,
    kappa: (agreement - chance) / (1 - chance),
    opposite: share(({ published, hindsight }) => opposites[published] === hindsight),
    lagMedian: quantile(lags, 0.5),
    lagP90: quantile(detected, 0.9),
    missed: 1 - detected.length / lags.length,
    falseShare: changes.filter((change) => reverted(hours, change)).length / changes.length,
    wrong: entries.filter(({ at, to }) => hours[at]?.hindsight === opposites[to]).length / entries.length,
  };
}

interface Turn {
  readonly at: number;
  readonly from: State;
  readonly to: State;
}

function changesOf(hours: readonly Hour[], which: 'published' | 'hindsight'): Turn[] {
  return hours.flatMap((hour, at) => {
    const from = hours[at - 1]?.[which];
    return from === undefined || from === hour[which] ? [] : [{ at, from, to: hour[which] }];
  });
}

function hindsightLags(hours: readonly Hour[]): number[] {
  const turns = changesOf(hours, 'hindsight');
  return turns.flatMap(({ at, to }, i) => {
    if (to === 'TRANSITION') return [];
    const segment = hours.slice(at, turns[i + 1]?.at);
    const found = segment.find(({ published }) => published === to);
    return [found === undefined ? Number.POSITIVE_INFINITY : (found.time - (hours[at]?.time ?? 0)) / hourMs];
  });
}

function reverted(hours: readonly Hour[], { at, from }: Turn): boolean {
  const start = hours[at]?.time ?? 0;
  for (let i = at + 1; i < hours.length; i++) {
    const hour = hours[i];
    if (hour === undefined || hour.time - start > 48 * hourMs) return false;
    if (hour.published === from) return true;
  }
  return false;
}

/** Returns a quantile of ascending values, interpolated linearly. */
function quantile(sorted: readonly number[], q: number): number {
  const position = (sorted.length - 1) * q;
  const low = sorted[Math.floor(position)] ?? Number.NaN;
  const high = sorted[Math.ceil(position)] ?? Number.NaN;
  return low === high ? low : low + (high - low) * (position - Math.floor(position));
}
