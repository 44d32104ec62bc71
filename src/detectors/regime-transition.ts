import { z } from 'zod';
import type { Annotations, Change, Severity } from '../alert/alert.ts';
import type { Answer } from '../contract/index.ts';
import { number, share, signed, title, words } from '../language/format.ts';
import { join, msg, type Text } from '../language/text.ts';
import { duration } from '../runtime/units.ts';
import { defineDetector } from './detector.ts';

const severityOf = (to: string): Severity =>
  to === 'RISK_OFF' ? 'critical' : to === 'TRANSITION' ? 'info' : 'warning';

/**
 * Turns of the market regime. Each turn is one alert with labels `{ kind, to }`: it fires when `current.state`
 * changes and is resolved by the next turn, or once the new regime has stood for `settle`. So one message lives
 * through one turn, and a turn back is told anew.
 *
 * The label is the service's own confirmed one: `confirm` is for a service that publishes the likeliest state raw.
 * While the service says that its data is DOWN, its regime is not known and changes nothing.
 */
export default defineDetector({
  name: 'regime-transition',
  description: msg('The market turns between risk-on, risk-off and transition'),
  preset: 'quiet',
  claim: {
    // A stalled trend has no direction of its own.
    of: ({ to }) => (to === 'RISK_ON' ? 'up' : to === 'RISK_OFF' ? 'down' : null),
    said: msg('the way of the turn'),
  },
  schedule: '30 */5 * * * *',
  options: z.object({
    /** A turn that has stood this long is settled. */
    settle: duration.prefault('24h'),
    /** Distinct data timestamps that must agree on a new state. */
    confirm: z.int().min(1).default(1),
  }),
  state: z.object({
    dataTime: z.number(),
    regime: z.string(),
    pending: z.object({ regime: z.string(), count: z.int() }).nullable(),
    /** The turn people know of and that has not settled. */
    turn: z.object({ from: z.string(), to: z.string(), at: z.number() }).nullable(),
  }),
  sample: (now) =>
    change(
      'firing',
      { from: 'RISK_ON', to: 'RISK_OFF' },
      {
        current: { state: 'RISK_OFF', legacyRegime: 'DISTRIBUTION', confidence: 0.83, score: -0.47 },
        probabilities: { RISK_ON: 0.05, RISK_OFF: 0.83, TRANSITION: 0.12 },
        volatilityRegime: { regime: 'HIGH_VOL', percentile: 88 },
        dataHealth: 'OK',
        regimeMultiplier: 0.7,
      },
      now,
      meaning('RISK_OFF'),
    ),
  observe: ({ data, signal }) => data.regimeProbabilities({}, signal),

  step(state, answer, { options }) {
    const dataTime = Date.parse(answer.timestamp);
    const seen = answer.current.state;
    if (state === undefined)
      return { state: { dataTime, regime: seen, pending: null, turn: null }, changes: [] };
    if (dataTime <= state.dataTime || answer.dataHealth === 'DOWN') return { state, changes: [] };

    const { turn } = state;
    const resolve = (why: Text): Change[] =>
      turn === null ? [] : [change('resolved', turn, answer, dataTime, why)];

    if (seen !== state.regime) {
      const count = state.pending?.regime === seen ? state.pending.count + 1 : 1;
      if (count < options.confirm)
        return { state: { ...state, dataTime, pending: { regime: seen, count } }, changes: [] };
      const next = { from: state.regime, to: seen, at: dataTime };
      return {
        state: { dataTime, regime: seen, pending: null, turn: next },
        changes: [
          ...resolve(msg('The market has turned again, to {regime}.', { regime: words(seen) })),
          change('firing', next, answer, dataTime, meaning(seen)),
        ],
      };
    }
    const settled = turn !== null && dataTime - turn.at >= options.settle;
    return {
      state: { dataTime, regime: seen, pending: null, turn: settled ? null : turn },
      changes: settled ? resolve(msg('The market has stayed {regime} since.', { regime: words(seen) })) : [],
    };
  },
});

function change(
  status: Change['status'],
  { from, to }: { readonly from: string; readonly to: string },
  {
    current,
    probabilities,
    volatilityRegime,
    dataHealth,
    regimeMultiplier,
  }: Pick<
    Answer<'regimeProbabilities'>,
    'current' | 'probabilities' | 'volatilityRegime' | 'dataHealth' | 'regimeMultiplier'
  >,
  dataTime: number,
  summary: Text,
): Change {
  const annotations: Annotations = {
    title: msg('Regime: {to} (was {from})', { to: words(to), from: words(from) }),
    summary,
    facts: [
      { name: msg('Turn'), value: join([title(from), words(to)], ' → ') },
      ...(status === 'resolved' ? [{ name: msg('Now'), value: title(current.state) }] : []),
      { name: msg('Confidence'), value: share(current.confidence) },
      ...Object.entries(probabilities).map(([name, value]) => ({
        name: msg('p({state})', { state: words(name) }),
        value: share(value),
      })),
      { name: msg('Label'), value: title(current.legacyRegime) },
      { name: msg('Score'), value: signed(current.score) },
      { name: msg('Volatility'), value: title(volatilityRegime.regime) },
      { name: msg('Multiplier'), value: number(regimeMultiplier) },
      ...(dataHealth === 'OK' ? [] : [{ name: msg('Data'), value: title(dataHealth) }]),
    ],
    dataTime,
  };
  return { status, labels: { kind: 'regime-transition', to }, severity: severityOf(to), annotations };
}

const meanings: Readonly<Record<string, Text>> = {
  RISK_ON: msg(
    'Bitcoin’s recent returns have been good for their risk; this says nothing about the next day’s.',
  ),
  RISK_OFF: msg(
    'Bitcoin has been falling against its usual risk; this says nothing about the next day’s return.',
  ),
  TRANSITION: msg('The last trend has stalled, without a direction of its own.'),
};
const meaning = (to: string): Text => meanings[to] ?? msg('A regime this version has no description of.');
