import { z } from 'zod';
import { secret } from '../runtime/secret.ts';

export const httpUrl = z.url({ protocol: /^https?$/, error: 'give an http or https URL' });

const wsUrl = z.url({ protocol: /^wss?$/, error: 'give a ws or wss URL' });

/** Where a live market is asked, and by which way. */
export const liveMarket = z.strictObject({
  binance: httpUrl,
  binanceStream: wsUrl,
  bybit: httpUrl,
  bybitStream: wsUrl,
  hyperliquid: httpUrl,
  hyperliquidStream: wsUrl,
  okx: httpUrl,
  okxStream: wsUrl,
  deribit: httpUrl,
  fearGreed: httpUrl,
  stablecoins: httpUrl,
  fred: httpUrl,
  proxy: secret
    .refine((proxy) => httpUrl.safeParse(proxy.reveal()).success, 'give an http or https URL')
    .nullable(),
});
