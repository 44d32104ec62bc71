import type { WallClock } from '../../runtime/clock.ts';
import { type Binance, binanceLimits, openBinance } from './binance.ts';
import { type Deribit, openDeribit } from './deribit.ts';
import { type FearGreed, openFearGreed, openStablecoins, type Stablecoins } from './sentiment.ts';
import { openTape, type Tape } from './tape.ts';
import type { ExchangeUrls } from './urls.ts';

/** A client for every upstream; the simulator's are the same with other addresses. */
export interface Exchanges {
  readonly binance: Binance;
  /** Of `!forceOrder@arr`. */
  readonly liquidationStream: string;
  readonly deribit: Deribit;
  readonly fearGreed: FearGreed;
  readonly stablecoins: Stablecoins;
  readonly tape: Tape | undefined;
  close(): Promise<void>;
}

/** The route that speaks since 2026. */
export const liquidationStream = ({ binanceStream }: ExchangeUrls): string =>
  `${binanceStream}/market/ws/!forceOrder@arr`;

export function openExchanges(
  urls: ExchangeUrls,
  { wall, signal }: { readonly wall: WallClock; readonly signal: AbortSignal },
): Exchanges {
  const simulated = urls.tape !== undefined;
  const binance = openBinance({ url: urls.binance, wall, signal, limits: simulated ? [] : binanceLimits() });
  const deribit = openDeribit({ url: urls.deribit, wall, signal });
  const fearGreed = openFearGreed({ url: urls.fearGreed, wall, signal });
  const stablecoins = openStablecoins({ url: urls.stablecoins, wall, signal });
  const tape = urls.tape === undefined ? undefined : openTape({ url: urls.tape, wall, signal });
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
