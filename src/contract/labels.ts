import { label } from './endpoint.ts';

export const regimeLabel = label('ACCUMULATION', 'MARKUP', 'DISTRIBUTION');

/** Which one `dxy` is where it is not ICE's: an extension of ours. */
export const dollarIndex = label('BROAD').optional();
