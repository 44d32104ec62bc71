// biome-ignore-all lint/complexity/useMaxParams: asked for every position of a past
export type Side = 'LONG' | 'SHORT';

/**
 * Maintenance margin as a share of the position. Exchanges publish it by symbol and size, from 0.4 % for a small
 * BTCUSDT position upwards; 0.5 % is used for all positions here.
 */
const maintenanceRate = 0.005;

/**
 * Returns the price at which an isolated position of entry price E and leverage L is liquidated: the loss has used up the
 * margin except for the maintenance margin. Long E(1 − 1/L + mmr), short E(1 + 1/L − mmr), where mmr is `maintenanceRate`
 * (Binance, liquidation price of isolated margin; fees and added margin are left out).
 */
export const liquidationPrice = (side: Side, entry: number, leverage: number): number =>
  side === 'LONG'
    ? entry * (1 - 1 / leverage + maintenanceRate)
    : entry * (1 + 1 / leverage - maintenanceRate);

/** Returns the leverage for which `liquidationPrice` is `price`; undefined if the price is on the winning side. */
export function impliedLeverage(side: Side, entry: number, price: number): number | undefined {
  const loss = (side === 'LONG' ? entry - price : price - entry) / entry;
  return loss > 0 ? 1 / (loss + maintenanceRate) : undefined;
}
