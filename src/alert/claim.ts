import type { Labels } from './alert.ts';

/**
 * What an alert says of the price, so that it can be told afterwards how often that came true: that it goes up, or
 * down, or only that it moves more than usual.
 */
export type Claim = 'up' | 'down' | 'move';

/** What the whole market is measured by. */
const marketSymbol = 'BTCUSDT';

/** Whose price an alert is judged by: its symbol's, that of the currency of its options, or the whole market's. */
export const judgedBy = ({ symbol, currency }: Labels): string =>
  symbol ?? (currency === undefined ? marketSymbol : `${currency}USDT`);
