import { baseOf } from '../alert/symbols.ts';
import { didYouMean, rank } from '../language/closest.ts';
import { UserError } from '../language/errors.ts';
import { listOf, msg } from '../language/text.ts';
import { stillLoading, unknownMarket } from '../places/names.ts';

/** Names of coins that are not the beginning of their pair. */
const nicknames: Readonly<Record<string, string>> = {
  XBT: 'BTC',
  BITCOIN: 'BTC',
  ETHEREUM: 'ETH',
  ETHER: 'ETH',
  SOLANA: 'SOL',
  RIPPLE: 'XRP',
  DOGECOIN: 'DOGE',
  CARDANO: 'ADA',
  BINANCE: 'BNB',
  CHAINLINK: 'LINK',
  AVALANCHE: 'AVAX',
  POLKADOT: 'DOT',
  LITECOIN: 'LTC',
  TONCOIN: 'TON',
  STELLAR: 'XLM',
  UNISWAP: 'UNI',
  COSMOS: 'ATOM',
  HYPERLIQUID: 'HYPE',
};
/** Cheap coins are quoted by the thousand or the million: 1000PEPEUSDT. */
const multiples = ['', '1000', '1000000', '1M'];
const quotes = ['USDT', 'USDC'];

/** Returns the coin of a pair: `$eth`, `BTC/USDT`, `btc-perp`, `BTC/USDT:USDT`, `BTCUSDT.P` and `xbtusd` are understood. */
function coin(text: string): string {
  const pair = text
    .normalize('NFC')
    .toUpperCase()
    .replace(/^[$#]+/, '')
    .replace(/(:|\.P$).*$/, '')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .replace(/(PERP|SWAP)$/, '');
  const base = pair.replace(/(?<=.)(USDT|USDC|USD)$/, '');
  return nicknames[base] ?? base;
}

/** Returns the pair that the text would stand for if it were tracked. */
export const pairOf = (text: string): string => `${coin(text)}USDT`;

/**
 * Returns the tracked pair that the text stands for; undefined: it stands for none. While no pairs are known, a pair named in
 * full is accepted: the data service then decides whether it exists.
 */
export function symbolNamed(text: string, universe: readonly string[]): string | undefined {
  const exact = text.trim().normalize('NFC').toUpperCase();
  if (universe.includes(exact)) return exact;
  const base = coin(exact.slice(0, 60));
  if (base === '') return undefined;
  if (universe.length === 0)
    return exact.length <= 30 && quotes.some((quote) => exact.endsWith(quote)) ? `${base}USDT` : undefined;
  for (const quote of quotes) {
    for (const multiple of multiples) {
      const symbol = `${multiple}${base}${quote}`;
      if (universe.includes(symbol)) return symbol;
    }
  }
  return undefined;
}

/** Returns the tracked pair that the text stands for. Throws UserError with suggestions. */
export function resolveSymbol(text: string, universe: readonly string[]): string {
  const symbol = symbolNamed(text, universe);
  if (symbol !== undefined) return symbol;
  if (universe.length === 0) throw stillLoading(text);
  const meant = didYouMean(rankSymbols(text, universe, 3).map(baseOf));
  const examples = msg('Try {markets}.', { markets: listOf(universe.slice(0, 3).map(baseOf)) });
  throw new UserError(meant ?? examples, { title: unknownMarket(text) });
}

/** Returns tracked pairs that the text may stand for, best first. Ties are in the order of the universe. */
export function rankSymbols(text: string, universe: readonly string[], limit: number): string[] {
  const base = coin(text.slice(0, 60));
  const bases = new Map(universe.map((symbol) => [coin(symbol), symbol]));
  const names = Object.keys(nicknames).filter((name) => bases.has(nicknames[name] ?? ''));
  // Compared by coin: "btcc" is one letter from BTC, but five from BTCUSDT.
  const meant = rank(base, [...bases.keys(), ...(base === '' ? [] : names)]);
  return [...new Set(meant.flatMap((name) => bases.get(nicknames[name] ?? name) ?? []))].slice(0, limit);
}
