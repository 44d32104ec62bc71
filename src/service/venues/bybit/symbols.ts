/** What it lists under another name than Binance in the same unit: 10000SATSUSDT is not one of them. */
const others: Readonly<Record<string, string>> = {
  SHIB1000USDT: '1000SHIBUSDT',
  '1000000BABYDOGEUSDT': '1MBABYDOGEUSDT',
};
const own = new Map(Object.entries(others).map(([name, pair]) => [pair, name]));

/** The pair by Binance's name. */
export const pairOf = (name: string): string => others[name] ?? name;

/** Its own name of a pair. */
export const nameOf = (pair: string): string => own.get(pair) ?? pair;

/** Whether it is a perpetual against USDT: BTCPERP is one against USDC, BTCUSDT-02OCT26 is a dated future. */
export const isPair = (name: string): boolean => /^[^-]+USDT$/.test(name);
