/** Coins that Binance, and so the archive, trades in units of a thousand or a million, whereas OKX trades single coins. */
const bundles: Readonly<Record<string, { readonly name: string; readonly coins: number }>> = {
  ...Object.fromEntries(
    ['BONK', 'CAT', 'CHEEMS', 'FLOKI', 'LUNC', 'PEPE', 'RATS', 'SATS', 'SHIB', 'WHY', 'XEC'].map((coin) => [
      coin,
      { name: `1000${coin}`, coins: 1_000 },
    ]),
  ),
  BABYDOGE: { name: '1MBABYDOGE', coins: 1_000_000 },
  MOG: { name: '1000000MOG', coins: 1_000_000 },
};
const coinOf = new Map(Object.entries(bundles).map(([coin, { name }]) => [name, coin]));

const swap = /^([^-]+)-(USDT|USDC)-SWAP$/;

/** A perpetual against USDT or USDC: the archive's pair, and how many coins a unit of the pair is. */
interface Swap {
  readonly pair: string;
  readonly coins: number;
}

/** Returns the perpetual of an OKX name, or undefined if the name is not that of a perpetual against USDT or USDC. */
export function contractOf(name: string): Swap | undefined {
  const [, coin, quote] = swap.exec(name) ?? [];
  if (coin === undefined) return undefined;
  const bundle = bundles[coin];
  return { pair: `${bundle?.name ?? coin}${quote}`, coins: bundle?.coins ?? 1 };
}

/** Returns OKX's name for a pair's index, such as BTC-USDT. */
export function indexOf(pair: string): string {
  const [, base = pair, quote = 'USDT'] = /^(.+)(USD[TC])$/.exec(pair) ?? [];
  return `${coinOf.get(base) ?? base}-${quote}`;
}

/** Returns OKX's name for a pair's perpetual. */
export const nameOf = (pair: string): string => `${indexOf(pair)}-SWAP`;

/** Returns how many coins a unit of the pair is. */
export const coinsIn = (pair: string): number => contractOf(nameOf(pair))?.coins ?? 1;
