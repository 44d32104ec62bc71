import { label } from './endpoint.ts';

export const regimeLabel = label('ACCUMULATION', 'MARKUP', 'DISTRIBUTION');

/** Which dollar index `dxy` is; absent if it is ICE's. This field is an extension of the interface. */
export const dollarIndex = label('BROAD').optional();

/** What `gold` is; absent if it is the provider's. PERPETUAL: a venue's perpetual. An extension of the interface. */
export const goldMarket = label('PERPETUAL').optional();

/** What `sp500` is; absent if it is the provider's. ETF_PERPETUAL: a perpetual on an ETF, a tenth of the index. An extension. */
export const sp500Market = label('PERPETUAL', 'ETF_PERPETUAL').optional();

/** What a listed market is, where it is no coin. */
export const marketKind = label('STOCK', 'COMMODITY', 'INDEX', 'PREMARKET', 'OTHER');

/** The values that an audit compares with the exchange. */
export const checkedValue = label(
  'mark',
  'funding',
  'running_funding',
  'open_interest',
  'volume_24h',
  'liquidations',
);

/** PRIMARY: the venue that the value comes from. SECOND: another venue, whose market is a different one. */
export const checkRole = label('PRIMARY', 'SECOND');

/** Why an audit had nothing to compare. */
export const checkMiss = label(
  'CANNOT_BE_ASKED',
  'NOT_PUBLISHED',
  'REFUSED',
  'UNREACHABLE',
  'TOO_SLOW',
  'NO_SUCH_ROW',
);
