import type { Instrument } from './market.ts';

/** A coin at the start of a synthetic market. */
export interface SimulatedListing extends Instrument {
  /** Price at the start, in USD. */
  readonly price: number;
  /** Rank by volume; 0 is the largest. */
  readonly rank: number;
  /** How much the coin's log price moves when the market factor moves by 1. */
  readonly beta: number;
}

/**
 * Names of real Binance USD-M perpetuals, roughly by volume, with starting prices of a realistic size. One of the first 30
 * names is not in Latin letters.
 */
const table = `
BTC 42000|ETH 2300|SOL 95|XRP 0.55|DOGE 0.082|BNB 310|ADA 0.52|AVAX 36|LINK 15|SUI 1.3|1000PEPE 0.0013|WLD 2.4
LTC 70|BCH 240|DOT 7.2|ARB 1.7|OP 3.2|NEAR 3.1|APT 9.4|TIA 16|INJ 36|FIL 5.8|ATOM 10|ETC 25|UNI 6.4|AAVE 98
1000SHIB 0.0094|TRX 0.105|牛来 0.024|ORDI 62|SEI 0.62|FTM 0.38|RUNE 4.6|GALA 0.026|STX 1.5|LDO 3.1|DYDX 2.8
ICP 12|SAND 0.47|MANA 0.46|AXS 7.6|HBAR 0.076|VET 0.031|ALGO 0.19|GRT 0.16|IMX 2.1|EGLD 58|XLM 0.115
EOS 0.74|THETA 1.05|FLOW 0.82|CRV 0.52|SNX 3.3|MKR 1950|COMP 54|SUSHI 1.1|1INCH 0.43|ENS 19|APE 1.5|GMT 0.28
BLUR 0.47|MASK 3.5|CFX 0.19|PENDLE 2.2|JTO 2.1|PYTH 0.42|1000BONK 0.013|MEME 0.026|ACE 9.1|XAI 0.72|MANTA 2.4
ALT 0.31|JUP 0.52|ZETA 1.6|DYM 6.4|PIXEL 0.55|STRK 2.0|PORTAL 1.4|AXL 1.3|ETHFI 3.9|ENA 0.71|W 0.92|TNSR 1.3
SAGA 4.2|TAO 460|OMNI 31|REZ 0.13|BB 0.44|NOT 0.0082|IO 4.1|ZK 0.21|LISTA 0.61|ZRO 3.3|RENDER 6.2|BANANA 51
TON 6.5|POPCAT 0.62|EIGEN 3.6|CAKE 2.6|PEOPLE 0.035`;

/** Coins that settle every 4 hours, as many real ones do. All others settle every 8 hours. */
const everyFourHours = new Set(['ORDI', 'BLUR', '1000BONK', 'DYM', 'TNSR', 'POPCAT']);

const decimalsOf = (price: number): { priceDecimals: number; quantityDecimals: number } => {
  const magnitude = Math.floor(Math.log10(price));
  return {
    priceDecimals: Math.min(8, Math.max(1, 5 - magnitude)),
    quantityDecimals: Math.min(3, Math.max(0, magnitude - 1)),
  };
};

export const listings: readonly SimulatedListing[] = table
  .trim()
  .split(/[|\n]/)
  .map((entry, rank) => {
    const [base = '', text = ''] = entry.split(' ');
    const price = Number(text);
    return {
      symbol: `${base}USDT`,
      base,
      price,
      rank,
      beta: rank === 0 ? 1 : rank === 1 ? 1.15 : 1.25 + 0.35 * ((rank * 0.618) % 1),
      fundingHours: everyFourHours.has(base) ? 4 : 8,
      ...decimalsOf(price),
    };
  });
