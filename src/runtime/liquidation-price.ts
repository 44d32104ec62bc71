// biome-ignore-all lint/complexity/useMaxParams: asked for every position of a past
export type Side = 'LONG' | 'SHORT';

/** What must be left of the margin. */
interface Maintenance {
  /** A share of the position. */
  readonly rate: number;
  /** What is taken off that, per coin: of larger positions only the part in a tier counts at its rate. */
  readonly deduction: number;
}

/** Exchanges ask from 0.33 % of a small BTCUSDT position upwards; where their tiers are not known 0.5 % is taken. */
export const assumedRate = 0.005;
const assumed: Maintenance = { rate: assumedRate, deduction: 0 };

/**
 * Returns the price at which an isolated position of entry price E and leverage L is liquidated: what the loss has left of
 * the margin is the maintenance margin, at rate m of the position's value then, less a deduction d per coin. Long
 * (E(1 − 1/L) − d) / (1 − m), short (E(1 + 1/L) + d) / (1 + m). So document it Binance (liquidation price of USDⓈ-M
 * futures), Bybit (isolated mode), Hyperliquid (liquidations) and OKX (isolated margin); fees, funding and added margin are
 * left out.
 */
export const liquidationPrice = (
  side: Side,
  entry: number,
  leverage: number,
  { rate, deduction }: Maintenance = assumed,
): number =>
  side === 'LONG'
    ? (entry * (1 - 1 / leverage) - deduction) / (1 - rate)
    : (entry * (1 + 1 / leverage) + deduction) / (1 + rate);

/** Returns the leverage for which `liquidationPrice` is `price`; undefined if the price is on the winning side. */
export function impliedLeverage(side: Side, entry: number, price: number): number | undefined {
  if (side === 'LONG' ? price >= entry : price <= entry) return undefined;
  const rest = (price / entry) * (side === 'LONG' ? 1 - assumedRate : 1 + assumedRate);
  return 1 / Math.abs(rest - 1);
}

/** An exchange's rule for positions up to a size, counted in US dollars or in coins; without `upTo` for all larger ones. */
interface MarginTier {
  readonly upTo?: number | undefined;
  readonly maintenanceRate: number;
  readonly maxLeverage: number;
}

export interface MarginTiers {
  readonly unit: 'USD' | 'COINS';
  /** The smallest positions first. */
  readonly tiers: readonly MarginTier[];
}

export interface SizedPosition {
  readonly side: Side;
  readonly entry: number;
  readonly leverage: number;
  /** Coins. Absent: not known, so that the smallest is taken. */
  readonly size?: number | undefined;
}

/** The tier in which a position is opened; undefined if it is larger than any. */
export function openingTier({ unit, tiers }: MarginTiers, { entry, size }: SizedPosition) {
  if (size === undefined) return tiers[0];
  const value = unit === 'USD' ? size * entry : size;
  return tiers.find(({ upTo = Number.POSITIVE_INFINITY }) => value <= upTo);
}

/**
 * Returns the tier by which a position is liquidated, with what it deducts from the maintenance margin. Tiers by value
 * charge each part of a position at its own rate, in the tier that the value is in by then (Binance, maintenance amount;
 * Bybit, MM deduction; Hyperliquid, margin tiers): of all tiers the one that is reached first. Tiers by coins charge the
 * whole position at one rate (OKX).
 */
export function liquidatingTier(held: MarginTiers, position: SizedPosition) {
  const { side, entry, leverage, size } = position;
  const opened = openingTier(held, position);
  if (opened === undefined || size === undefined || held.unit === 'COINS')
    return opened && { ...opened, deduction: 0 };
  let deduction = 0;
  const charged = held.tiers.map((tier, index) => {
    const { upTo = 0, maintenanceRate = tier.maintenanceRate } = held.tiers[index - 1] ?? {};
    deduction += upTo * (tier.maintenanceRate - maintenanceRate);
    const terms = { rate: tier.maintenanceRate, deduction: deduction / size };
    return { ...tier, deduction, at: liquidationPrice(side, entry, leverage, terms) };
  });
  return charged.reduce((first, tier) =>
    (side === 'LONG' ? tier.at > first.at : tier.at < first.at) ? tier : first,
  );
}
