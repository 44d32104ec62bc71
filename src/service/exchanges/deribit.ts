import { z } from 'zod';
import { type OptionQuote, parseInstrument } from '../analytics/options.ts';
import type { OptionsSummary, TimeRange } from '../archive/archive.ts';
import { rowsOf } from './rows.ts';
import { openUpstream, type UpstreamOptions } from './upstream.ts';

/**
 * Schema of an option chain. `open_interest` is in coins, `mark_iv` in percent (docs.deribit.com,
 * get_book_summary_by_currency).
 */
export const chain = z
  .object({
    result: rowsOf(
      z.object({
        instrument_name: z.string(),
        open_interest: z.number().min(0),
        mark_iv: z.number().nullish(),
      }),
    ),
  })
  .transform(({ result }) =>
    result.rows.flatMap(({ instrument_name, open_interest, mark_iv }): OptionQuote[] => {
      const terms = parseInstrument(instrument_name);
      if (terms === undefined) return [];
      return [{ ...terms, openInterest: open_interest, impliedVolatility: mark_iv ?? undefined }];
    }),
  );

export interface Deribit {
  /** Fetches the whole option chain of a currency in one request. */
  chain(currency: string): Promise<OptionQuote[]>;
  /** Returns summaries of past chains, which Deribit does not keep, but a simulated market does. */
  past?(currency: string, page: TimeRange): Promise<OptionsSummary[]>;
  close(): Promise<void>;
}

export function openDeribit(options: Omit<UpstreamOptions, 'name'>): Deribit {
  const { get, close } = openUpstream({ ...options, name: 'deribit' });
  return {
    close,
    chain: (currency) =>
      get('/api/v2/public/get_book_summary_by_currency', {
        schema: chain,
        query: { currency, kind: 'option' },
      }),
  };
}
