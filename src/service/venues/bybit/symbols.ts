/**
 * Binance's names of coins that Bybit lists in the same unit under another name. 10000SATS is not here, because its unit
 * differs.
 */
const baseByName: Readonly<Record<string, string>> = {
  SHIB1000: '1000SHIB',
  '1000000BABYDOGE': '1MBABYDOGE',
};
const nameByBase = new Map(Object.entries(baseByName).map(([name, base]) => [base, name]));

/** A perpetual's name: BTCUSDT is against USDT, BTCPERP against USDC. BTCUSDT-02OCT26 is a dated future. */
const perpetual = /^([^-]+)(USDT|PERP)$/;

/** Returns the pair, which has Binance's name, of a Bybit name; the name itself if it is no perpetual's. */
export function pairOf(name: string): string {
  const [, base = name, end] = perpetual.exec(name) ?? [];
  return end === undefined ? name : `${baseByName[base] ?? base}${end === 'PERP' ? 'USDC' : end}`;
}

/** Returns Bybit's name for a pair. */
export function nameOf(pair: string): string {
  const base = pair.replace(/USD[TC]$/, '');
  return `${nameByBase.get(base) ?? base}${pair.endsWith('USDC') ? 'PERP' : 'USDT'}`;
}

/** Whether the name is that of a perpetual against USDT or USDC. */
export const isPair = (name: string): boolean => perpetual.test(name);
