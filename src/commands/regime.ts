import { z } from 'zod';
import { number, percent, price, share, time, unknown, words } from '../card/format.ts';
import { caution, part } from '../command/failure.ts';
import { whole } from '../command/input.ts';
import { formatDuration, hour } from '../runtime/units.ts';
import { defineCommand } from './command.ts';

export default defineCommand({
  name: 'regime',
  description: 'The market regime: how sure, since when, and how it came here',
  input: z.object({
    days: whole(1, 90).default(7).describe('How many days back the chart goes'),
  }),
  async run({ days }, { data, caller, now, signal }) {
    const [regime, history] = await Promise.all([
      data.regimeProbabilities({}, signal),
      part('the past', data.regimeHistory({ days }, signal)),
    ]);
    const { current, transition, volatilityRegime: volatility, basisSignal: basis, crossAsset } = regime;
    const rows = history.value?.data ?? [];
    const turn = rows.findIndex((row) => row.hmm_state !== current.state);
    const since = Date.parse(rows[turn - 1]?.timestamp ?? '');
    const dataTime = Date.parse(regime.timestamp);
    return {
      title: `Regime: ${words(current.state)}, ${words(current.legacyRegime)}`,
      summary:
        transition === null
          ? 'The market is stable.'
          : `In transition: ${words(transition.from)} to ${words(transition.to)}, ${number(transition.magnitude)}.`,
      facts: [
        { name: 'Confidence', value: share(current.confidence) },
        {
          name: 'Probabilities',
          value: Object.entries(regime.probabilities)
            .map(([state, probability]) => `${words(state)} ${share(probability)}`)
            .join(', '),
        },
        {
          name: 'Since',
          value: Number.isFinite(since)
            ? `${time(since, caller.timeZone)}, ${formatDuration(now - since)} ago`
            : rows.length > 0 && turn < 0
              ? `more than ${days} d`
              : unknown,
        },
        { name: 'Score', value: number(current.score) },
        {
          name: 'Volatility',
          value: `${words(volatility.regime)}, percentile ${number(volatility.percentile, 0)}`,
        },
        ...(basis === undefined
          ? []
          : [{ name: 'Basis', value: `${words(basis.signal)}, ${percent(basis.annualizedPct)} a year` }]),
        ...(crossAsset.dxy === undefined ? [] : [{ name: 'Dollar index', value: price(crossAsset.dxy) }]),
        ...(crossAsset.sp500?.vix === undefined
          ? []
          : [{ name: 'VIX', value: number(crossAsset.sp500.vix) }]),
        ...(regime.dataHealth === 'OK' ? [] : [{ name: 'Data health', value: words(regime.dataHealth) }]),
        ...history.missing,
        ...caution(dataTime, now, 2 * hour),
      ],
      ...(rows.length > 1 && {
        chart: {
          title: `Score over ${days} d`,
          unit: '',
          series: [
            {
              name: 'score',
              points: rows
                .toReversed()
                .map(({ timestamp, score }) => [Date.parse(timestamp), score] as const),
            },
          ],
        },
      }),
      dataTime,
    };
  },
});
