import type { Instrument, Market } from '#src/service/simulation/market.ts';

/** The venue's share of the simulated market's open interest and volume. */
export const share = 0.4;

/** A perpetual as OKX lists it: prices are per coin, even if the market's unit is a thousand, and sizes are in contracts. */
export interface Swap {
  readonly name: string;
  readonly instrument: Instrument;
  /** How many coins the market's unit is. */
  readonly coins: number;
  /** How many coins one contract is. */
  readonly contract: number;
}

const contracts: Readonly<Record<string, number>> = { BTC: 0.01, ETH: 0.1, PEPE: 10_000_000 };

const swapOf = (instrument: Instrument): Swap => {
  const coin = instrument.base.replace(/^1000(?=[A-Z])/, '');
  return {
    name: `${coin}-USDT-SWAP`,
    instrument,
    coins: coin === instrument.base ? 1 : 1_000,
    contract: contracts[coin] ?? 1,
  };
};

export const swapsOf = (market: Market): ReadonlyMap<string, Swap> =>
  new Map(market.instruments.map(swapOf).map((swap) => [swap.name, swap]));

/** Instruments in OKX's lists that nobody trades: against coins and USDC, a stock, a coin that does not exist yet. */
export const untradedInstruments = [
  { instId: 'BTC-USD-SWAP', ctType: 'inverse', ctVal: '100', settleCcy: 'BTC' },
  { instId: 'BTC-USDC-SWAP', settleCcy: 'USDC' },
  { instId: 'TSLA-USDT-SWAP', instCategory: '3' },
  { instId: 'OPENAI-USDT-SWAP', ruleType: 'pre_market' },
] as const;

/** Returns a swap as an entry of OKX's list of instruments. */
const listing = ({ name, contract }: Pick<Swap, 'name' | 'contract'>) => ({
  instType: 'SWAP',
  instId: name,
  instFamily: name.replace(/-SWAP$/, ''),
  uly: name.replace(/-SWAP$/, ''),
  ctType: 'linear',
  ctVal: String(contract),
  ctMult: '1',
  ctValCcy: name.split('-')[0],
  settleCcy: 'USDT',
  state: 'live',
  listTime: '1573557408000',
  instCategory: '1',
  ruleType: 'normal',
});

export const instruments = (swaps: Iterable<Swap>) => [
  ...[...swaps].map(listing),
  ...untradedInstruments.map((ignored) => ({
    ...listing({ name: ignored.instId, contract: 1 }),
    ...ignored,
  })),
];
