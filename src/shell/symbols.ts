import { baseOf } from '../alert/symbols.ts';
import { didYouMean, rank } from '../language/closest.ts';
import { UserError } from '../language/errors.ts';
import { listOf, msg } from '../language/text.ts';
import { stillLoading, unknownMarket } from '../places/names.ts';

/** Names of coins and metals that are not the beginning of their pair. */
const nicknames: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    BTC: 'XBT BITCOIN БИТКОИН 比特币',
    ETH: 'ETHEREUM ETHER ЭФИР 以太坊',
    SOL: 'SOLANA',
    XRP: 'RIPPLE',
    DOGE: 'DOGECOIN',
    ADA: 'CARDANO',
    BNB: 'BINANCE',
    LINK: 'CHAINLINK',
    AVAX: 'AVALANCHE',
    DOT: 'POLKADOT',
    LTC: 'LITECOIN',
    TON: 'TONCOIN',
    XLM: 'STELLAR',
    UNI: 'UNISWAP',
    ATOM: 'COSMOS',
    HYPE: 'HYPERLIQUID',
    XAU: 'GOLD ORO OURO ЗОЛОТО 黄金 ALTIN',
    XAG: 'SILVER',
  }).flatMap(([coin, names]) => names.split(' ').map((name) => [name, coin])),
);
/** Cheap coins are quoted by the thousand or the million: 1000PEPEUSDT. */
const multiples = ['', '1000', '1000000', '1M'];
const quotes = ['USDT', 'USDC'];
/** Cyrillic letters that look like Latin ones, in the order of these. */
const lookAlikes = 'АВЕКМНОРСТХ';

function inLatin(base: string): string {
  const read = base.replaceAll(/\p{L}/gu, (letter) => 'ABEKMHOPCTX'[lookAlikes.indexOf(letter)] ?? letter);
  return /^[A-Z\d]*$/.test(read) ? read : base;
}

/** Returns the coin of a pair: `$eth`, `BTC/USDT`, `btc-perp`, `BTC/USDT:USDT`, `BINANCE:BTCUSDT.P` and `xbtusd` are understood. */
function coin(text: string): string {
  const pair = text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/:(USD[TC]?)$|(?<=\/.*):.*$|\.P$/, '')
    .replace(/^.*:(?=.)/, '')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .replace(/(PERP|SWAP)$/, '');
  return inLatin(pair.replace(/(?<=.)(USDT|USDC|USD)$/, ''));
}

/** Returns what a coin may be called, as it was typed first: a coin may be listed under another one's nickname. */
const namesOf = (typed: string): string[] => {
  const base = coin(typed);
  // Hyperliquid's unit of a thousand coins: kPEPE.
  return [base, nicknames[base] ?? base, base.replace(/^K(?=.)/, '1000')];
};

/** Returns the pair that the text would stand for if it were tracked. */
export const pairOf = (text: string): string => `${namesOf(text)[1]}USDT`;

/**
 * Returns the tracked pair that the text stands for; undefined: it stands for none. While no pairs are known, a pair named in
 * full is accepted: the data service then decides whether it exists.
 */
export function symbolNamed(text: string, universe: readonly string[]): string | undefined {
  const exact = text.trim().normalize('NFC').toUpperCase();
  if (universe.includes(exact)) return exact;
  if (universe.length === 0)
    return exact.length <= 30 && quotes.some((quote) => exact.endsWith(quote)) ? pairOf(exact) : undefined;
  return namesOf(exact.slice(0, 60))
    .flatMap((name) => quotes.flatMap((quote) => multiples.map((multiple) => `${multiple}${name}${quote}`)))
    .find((symbol) => universe.includes(symbol));
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

/** Returns tracked pairs that the text may stand for, best first, each coin’s first one. Ties are in the order of the universe. */
export function rankSymbols(text: string, universe: readonly string[], limit: number): string[] {
  const bases = new Map<string, string>();
  for (const symbol of universe) bases.getOrInsert(coin(symbol), symbol);
  const known = Object.keys(nicknames).filter((name) => bases.has(nicknames[name] ?? ''));
  // Compared by coin: "btcc" is one letter from BTC, but five from BTCUSDT.
  const meant = namesOf(text.slice(0, 60)).flatMap((name) =>
    rank(name, [...bases.keys(), ...(name === '' ? [] : known)]),
  );
  const symbols = meant.flatMap((name) => bases.get(name) ?? bases.get(nicknames[name] ?? '') ?? []);
  const exact = text.trim().toUpperCase();
  return [...new Set([...universe.filter((symbol) => symbol === exact), ...symbols])].slice(0, limit);
}
