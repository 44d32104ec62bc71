import { z } from 'zod';
import { ApiError } from '../../runtime/errors.ts';
import { day, iso } from '../../runtime/units.ts';
import { publicationLag } from '../analytics/cross-asset.ts';
import { knownAt, type MacroProvider } from './macro.ts';
import { openUpstream, type UpstreamOptions } from './upstream.ts';

/**
 * FRED's names of daily series by our names. FRED's dollar index is the broad one (about 121), not ICE's DXY (about 99,
 * licensed), so it has a name of its own. FRED stopped publishing gold in 2022, so there is no gold here.
 */
const seriesIds: Readonly<Record<string, string>> = {
  sp500: 'SP500',
  broad_dollar: 'DTWEXBGS',
  vix: 'VIXCLS',
};

export const observations = z.object({
  observations: z.array(
    z.object({
      date: z.iso.date(),
      /** The value as text, or "." on holidays. */
      value: z.string().regex(/^(\.|-?\d+(\.\d+)?)$/, 'must be a decimal string or "."'),
    }),
  ),
});

/** Opens the provider of FRED (Federal Reserve Bank of St. Louis, api.stlouisfed.org), which needs a free key. */
export function fredMacro(options: Omit<UpstreamOptions, 'name'> & { readonly key: string }): MacroProvider {
  const { key, ...upstream } = options;
  const { get, close } = openUpstream({ ...upstream, name: 'fred' });
  return {
    series: Object.keys(seriesIds),
    step: day,
    close,
    async read(series, { from, to }) {
      const query = {
        series_id: seriesIds[series],
        api_key: key,
        file_type: 'json',
        observation_start: iso(from - day - publicationLag(series)).slice(0, 10),
        observation_end: iso(to).slice(0, 10),
      };
      const answer = await get('/fred/series/observations', { schema: observations, query }).catch(
        explainRefusal,
      );
      return answer.observations
        .filter(({ value }) => value !== '.')
        .map(({ date, value }) => ({
          symbol: series,
          time: knownAt(series, Date.parse(date)),
          value: Number(value),
        }))
        .filter(({ time }) => time >= from && time <= to);
    },
  };
}

/** FRED responds with status 400 to a wrong key; other sources use 400 for a symbol that no longer exists. */
function explainRefusal(error: unknown): never {
  if (error instanceof ApiError && error.reason === 'invalid_request') {
    throw new ApiError(error.endpoint, 'unauthorized', 'refused (HTTP 400): is TOCSIN_FRED_KEY right?', {
      cause: error,
    });
  }
  throw error;
}
