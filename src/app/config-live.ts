import { z } from 'zod';
import { secret } from '../runtime/secret.ts';

export const httpUrl = z.url({ protocol: /^https?$/, error: 'an http or https URL is expected' });

/** Where a live market is asked, and by which way. */
export const liveMarket = z.strictObject({
  binance: httpUrl,
  binanceStream: z.url({ protocol: /^wss?$/, error: 'a ws or wss URL is expected' }),
  deribit: httpUrl,
  fearGreed: httpUrl,
  stablecoins: httpUrl,
  fred: httpUrl,
  proxy: secret
    .refine((proxy) => httpUrl.safeParse(proxy.reveal()).success, 'an http or https URL is expected')
    .nullable(),
});
