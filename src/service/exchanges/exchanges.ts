import type { WallClock } from '../../runtime/clock.ts';
import { type Binance, binancePools, openBinance } from './binance.ts';
import { type Deribit, openDeribit } from './deribit.ts';
import { forgetful, type Memory } from './gate.ts';
import type { OnOdd } from './rows.ts';
import { type FearGreed, openFearGreed, openStablecoins, type Stablecoins } from './sentiment.ts';
import { openTape, type PastTape } from './tape.ts';
import type { Transport } from './transport.ts';
import type { ExchangeUrls } from './urls.ts';

/** A client for every upstream; the simulator's are the same with other addresses. */
export interface Exchanges {
  readonly binance: Binance;
  /** Of `!forceOrder@arr`. */
  readonly liquidationStream: { readonly url: string; readonly proxy?: string };
  readonly deribit: Deribit;
  readonly fearGreed: FearGreed;
  readonly stablecoins: Stablecoins;
  readonly tape: PastTape | undefined;
  close(): Promise<void>;
}

/** The route that speaks since 2026. */
export const liquidationStream = ({
  binanceStream,
  proxy,
}: ExchangeUrls): Exchanges['liquidationStream'] => ({
  url: `${binanceStream}/market/ws/!forceOrder@arr`,
  ...(proxy !== undefined && { proxy }),
});

/** What the clients share, beside the addresses. */
export interface ExchangesOptions {
  readonly wall: WallClock;
  readonly signal: AbortSignal;
  /** Of one upstream's rests and spent limits; absent: they end with the process. */
  readonly memory?: (upstream: string) => Memory;
  readonly onOdd?: OnOdd;
  /** Absent: the network. */
  readonly transport?: Transport;
}

export function openExchanges(
  urls: ExchangeUrls,
  { wall, signal, memory = () => forgetful, onOdd, transport }: ExchangesOptions,
): Exchanges {
  const { tape: tapeUrl, proxy } = urls;
  const simulated = tapeUrl !== undefined;
  const at = (url: string, name: string) => ({ url, wall, signal, proxy, transport, memory: memory(name) });
  const binance = openBinance({
    ...at(urls.binance, 'binance'),
    onOdd,
    pools: simulated ? [] : binancePools,
  });
  const deribit = openDeribit(at(urls.deribit, 'deribit'));
  const fearGreed = openFearGreed(at(urls.fearGreed, 'fear-greed'));
  const stablecoins = openStablecoins(at(urls.stablecoins, 'stablecoins'));
  const tape = tapeUrl === undefined ? undefined : openTape(at(tapeUrl, 'tape'));
  const clients = [binance, deribit, fearGreed, stablecoins, ...(tape === undefined ? [] : [tape])];
  return {
    binance,
    liquidationStream: liquidationStream(urls),
    deribit,
    fearGreed,
    stablecoins,
    tape,
    async close() {
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}
