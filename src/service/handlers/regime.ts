import { contract } from '../../contract/index.ts';
import { day, hour, iso, minute } from '../../runtime/units.ts';
import { basisRows, basisSignal, basisWindow } from '../analytics/basis.ts';
import { dataHealth } from '../analytics/data-quality.ts';
import { sigmaReach } from '../analytics/hindsight.ts';
import { describeRegime, regimeModel } from '../analytics/regime.ts';
import { recordWindow, regimeRecord } from '../analytics/regime-record.ts';
import { round } from '../analytics/statistics.ts';
import type { RegimeRow } from '../archive/archive.ts';
import { derived } from '../archive/derivation.ts';
import { crossAssetAt } from './cross-asset.ts';
import { type Handler, type HandlerContext, lastWindow, noDataYet } from './handler.ts';

/** The symbol whose regime is taken as that of the whole market. */
export const regimeSymbol = 'BTCUSDT';

/**
 * Returns the newest hour of a market published by `now`. @throws ApiError if none has been published within 90 days
 */
export async function newestRegime(
  { archive, now }: HandlerContext,
  endpoint: string,
  symbol: string = regimeSymbol,
): Promise<RegimeRow> {
  const [newest] = await archive.last('regimes', { symbol, count: 1, to: now - hour });
  if (newest === undefined || newest.time < now - 90 * day)
    throw noDataYet(endpoint, 'published regime', symbol === regimeSymbol ? undefined : symbol);
  return newest;
}

export const regime: Handler<'regime'> = {
  needs: ['regimes'],
  async answer({ symbol }, context) {
    const newest = await newestRegime(context, contract.regime.path, symbol);
    const { label, confidence, score } = describeRegime(newest);
    return { symbol, regime: label, confidence, score };
  },
};

export const regimeProbabilities: Handler<'regimeProbabilities'> = {
  needs: ['regimes'],
  uses: ['marks', 'observations', 'funding', 'quality', 'candles1h'],
  async answer({ symbol: asked }, context) {
    const { archive, now } = context;
    const symbol = asked ?? regimeSymbol;
    const row = await newestRegime(context, contract.regimeProbabilities.path, symbol);
    const [marks, crossAsset, record, [check]] = await Promise.all([
      derived(archive, { ...lastWindow(basisWindow, now), name: 'marks', symbol, derivation: basisRows }),
      crossAssetAt(context),
      recordOf(symbol, context),
      archive.quality(lastWindow(15 * minute, now)).then((checks) => checks.slice(-1)),
    ]);
    const basis = basisSignal(marks);
    const published = row.time + hour;
    const { state, label, confidence, score, probabilities, transition, multiplier, volatility } =
      describeRegime(row);
    return {
      symbol: asked,
      current: { state, legacyRegime: label, confidence, score },
      probabilities,
      transition,
      regimeMultiplier: multiplier,
      volatilityRegime: { regime: volatility, percentile: row.volatilityPercentile },
      basisSignal: basis,
      crossAsset,
      model: {
        version: `judge-${row.model}`,
        method:
          'hidden Markov chain of three states, decoded forward by the max-sum recursion of its judge; the share of sampled futures in which each state is best',
        published: record,
      },
      // Without a recent quality check, the regime's own age decides: it is too old if an hour is overdue.
      dataHealth:
        check === undefined ? (now - published <= 2 * hour ? 'OK' : 'DOWN') : dataHealth(check.status),
      timestamp: iso(Math.max(published, Date.parse((basis && marks.at(-1)?.timestamp) ?? '') || 0)),
    };
  },
};

/** How often the record of the published probabilities is computed again, ms: it is made from months. */
const recordStep = 7 * day;

/** Returns how a market's published probabilities fared, as of the beginning of the week. */
function recordOf(symbol: string, { archive, now, figures }: HandlerContext) {
  const week = Math.floor(now / recordStep);
  const before = week * recordStep - hour;
  return figures.in(`week ${week}`, `regime record ${symbol}`, async () => {
    const [published, candles] = await Promise.all([
      archive.read('regimes', { symbol, window: lastWindow(recordWindow, before) }),
      // The first hours are judged with the σ of the days before them.
      archive.columns('candles1h', { symbol, window: lastWindow(recordWindow + sigmaReach * hour, before) }),
    ]);
    return regimeRecord({ published: published.filter(({ model }) => model === regimeModel), candles });
  });
}

export const regimeHistory: Handler<'regimeHistory'> = {
  needs: ['regimes'],
  async answer({ days, symbol: asked }, context) {
    const { archive, now } = context;
    const window = lastWindow(days * day, now - hour);
    const rows = await archive.read('regimes', { symbol: asked ?? regimeSymbol, window });
    return {
      symbol: asked,
      data: rows.reverse().map((row) => {
        const { state, label, confidence, score } = describeRegime(row);
        // The time of publication, not of the hour: before that time the label was not known.
        return { timestamp: iso(row.time + hour), regime: label, hmm_state: state, confidence, score };
      }),
    };
  },
};

export const regimeMarkets: Handler<'regimeMarkets'> = {
  needs: ['regimes'],
  async answer(_query, context) {
    const { archive, now, universe } = context;
    const followed = new Set(universe);
    // A market whose hours are missing has no regime at present.
    const window = lastWindow(3 * hour, now - hour);
    const newest = new Map((await archive.readAll('regimes', window)).map((row) => [row.symbol, row]));
    const rows = [...newest.values()].filter(({ symbol }) => followed.has(symbol));
    if (rows.length === 0) throw noDataYet(contract.regimeMarkets.path, 'published regime');
    const data = rows.map((row) => {
      const { state, probabilities, score, transition } = describeRegime(row);
      return { symbol: row.symbol, state, probabilities, score, transition, timestamp: iso(row.time + hour) };
    });
    const share = (name: string) => round(data.filter(({ state }) => state === name).length / data.length, 4);
    return {
      data,
      breadth: { RISK_ON: share('RISK_ON'), RISK_OFF: share('RISK_OFF'), TRANSITION: share('TRANSITION') },
      count: data.length,
      timestamp: iso(Math.max(...rows.map(({ time }) => time)) + hour),
    };
  },
};
