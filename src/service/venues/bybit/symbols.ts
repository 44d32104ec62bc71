/**
 * Binance's names of perpetuals that Bybit lists in the same unit under another name. 10000SATSUSDT is not here, because
 * its unit differs.
 */
const pairByName: Readonly<Record<string, string>> = {
  SHIB1000USDT: '1000SHIBUSDT',
  '1000000BABYDOGEUSDT': '1MBABYDOGEUSDT',
};
const nameByPair = new Map(Object.entries(pairByName).map(([name, pair]) => [pair, name]));

/** Returns the pair, which has Binance's name, of a Bybit name. */
export const pairOf = (name: string): string => pairByName[name] ?? name;

/** Returns Bybit's name for a pair. */
export const nameOf = (pair: string): string => nameByPair.get(pair) ?? pair;

/** Whether the name is that of a perpetual against USDT: BTCPERP is against USDC, BTCUSDT-02OCT26 is a dated future. */
export const isPair = (name: string): boolean => /^[^-]+USDT$/.test(name);
