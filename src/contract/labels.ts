import { label } from './endpoint.ts';

export const regimeLabel = label('ACCUMULATION', 'MARKUP', 'DISTRIBUTION');

/** Which one `dxy` is where it is not ICE's: an extension of ours. */
export const dollarIndex = label('BROAD').optional();

/** What the audit asks again. */
export const auditedValue = label(
  'mark',
  'funding',
  'running_funding',
  'open_interest',
  'volume_24h',
  'liquidations',
);

/** PRIMARY: where the value comes from; a second venue's is another market's. */
export const auditRole = label('PRIMARY', 'SECOND');

/** Why there was nothing to compare with. */
export const auditMiss = label(
  'CANNOT_BE_ASKED',
  'NOT_PUBLISHED',
  'REFUSED',
  'UNREACHABLE',
  'TOO_SLOW',
  'NO_SUCH_ROW',
);
