import { isIP } from 'node:net';
import { z } from 'zod';
import { secret } from '../../runtime/secret.ts';

export const httpUrl = z.url({ protocol: /^https?$/, error: 'give an http or https URL' });

const wsUrl = z.url({ protocol: /^wss?$/, error: 'give a ws or wss URL' });

/** An https proxy is identified by its certificate, which names a host. False for an https URL with an IP address. */
const hasName = (url: string): boolean => {
  const { protocol, hostname = '' } = URL.parse(url) ?? {};
  return protocol !== 'https:' || isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
};

/** The URLs from which a live market is collected, and the proxy to reach them through. */
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
    .refine((proxy) => hasName(proxy.reveal()), 'give an https proxy by its name, not by its address')
    .nullable(),
});
