import { contract } from '../../contract/index.ts';
import { day, hour, iso, minute } from '../../runtime/units.ts';
import { basisRows, basisSignal, basisWindow } from '../analytics/basis.ts';
import { dataHealth } from '../analytics/data-quality.ts';
import { transition } from '../analytics/transition.ts';
import type { RegimeRow } from '../archive/archive.ts';
import { derived } from '../archive/derived.ts';
import { crossAssetAt } from './cross-asset.ts';
import { type Handler, type HandlerContext, isWithin, lastWindow, noDataYet } from './handler.ts';

/** The symbol whose regime is taken as that of the whole market. */
export const regimeSymbol = 'BTCUSDT';

/** Returns the key of the archive document that holds a model. Regime rows name their model by version. */
export const modelDocument = (version: string): string => `regime-model ${version}`;

/**
 * Returns the hours published by `now`, ascending: those of the last `length` ms, or, if an outage left none, of the last
 * 90 days.
 * @throws ApiError if none has been published
 */
async function recentRegimes(
  { archive, now }: HandlerContext,
  { endpoint, length }: { readonly endpoint: string; readonly length: number },
): Promise<{ readonly newest: RegimeRow; readonly rows: readonly RegimeRow[] }> {
  for (const past of [length, 90 * day]) {
    const rows = await archive.regimes(lastWindow(past, now - hour));
    const [newest] = rows;
    if (newest !== undefined) return { newest, rows: rows.reverse() };
  }
  throw noDataYet(endpoint, 'published regime');
}

/** Returns the newest hour published by `now`. @throws ApiError if none has been published */
export const newestRegime = async (context: HandlerContext, endpoint: string): Promise<RegimeRow> =>
  (await recentRegimes(context, { endpoint, length: 3 * hour })).newest;

const confidenceOf = ({ probabilities, state }: RegimeRow): number => probabilities[state];

export const regime: Handler<'regime'> = {
  needs: ['regimes'],
  steady: true,
  async answer(_query, context) {
    const newest = await newestRegime(context, contract.regime.path);
    return { regime: newest.label, confidence: confidenceOf(newest), score: newest.score };
  },
};

export const regimeProbabilities: Handler<'regimeProbabilities'> = {
  needs: ['regimes'],
  steady: true,
  uses: ['marks', 'observations', 'funding', 'quality'],
  async answer(_query, context) {
    const { archive, now } = context;
    const { newest: row, rows } = await recentRegimes(context, {
      endpoint: contract.regimeProbabilities.path,
      length: 3 * day,
    });
    const [marks, crossAsset, model, [check]] = await Promise.all([
      derived(archive, {
        ...lastWindow(basisWindow, now),
        name: 'marks',
        symbol: regimeSymbol,
        derivation: basisRows,
      }),
      crossAssetAt(context),
      archive.get(modelDocument(row.model)),
      archive.quality(lastWindow(15 * minute, now)).then((checks) => checks.slice(-1)),
    ]);
    const basis = basisSignal(marks);
    const published = row.time + hour;
    return {
      current: {
        state: row.state,
        legacyRegime: row.label,
        confidence: confidenceOf(row),
        score: row.score,
      },
      probabilities: { ...row.probabilities },
      transition: transition(rows),
      regimeMultiplier: row.multiplier,
      volatilityRegime: { regime: row.volatility, percentile: row.volatilityPercentile },
      ...(basis === undefined ? {} : { basisSignal: basis }),
      crossAsset,
      model: { ...(model as object | undefined), version: row.model },
      // Without a recent quality check, the regime's own age decides: it is too old if an hour is overdue.
      dataHealth:
        check === undefined
          ? isWithin(context, { time: published, age: 2 * hour })
            ? 'OK'
            : 'DOWN'
          : dataHealth(check.status),
      timestamp: iso(
        Math.max(published, Date.parse(basis === undefined ? '' : (marks.at(-1)?.timestamp ?? '')) || 0),
      ),
    };
  },
};

export const regimeHistory: Handler<'regimeHistory'> = {
  needs: ['regimes'],
  steady: true,
  async answer({ days }, { archive, now }) {
    const rows = await archive.regimes(lastWindow(days * day, now - hour));
    return {
      data: rows.map((row) => ({
        // The time of publication, not of the hour: before that time the label was not known.
        timestamp: iso(row.time + hour),
        regime: row.label,
        hmm_state: row.state,
        confidence: confidenceOf(row),
        score: row.score,
      })),
    };
  },
};
