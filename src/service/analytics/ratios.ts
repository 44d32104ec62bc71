import type { EndpointAnswer } from '../../contract/index.ts';
import { iso } from '../../runtime/units.ts';
import type { Ratio } from '../archive/archive.ts';
import type { Derivation } from '../archive/derivation.ts';
import { round } from './statistics.ts';

/** Computes the shares as published: both have 4 decimals, and they sum to 1. */
export const ratioRows: Derivation<Ratio, EndpointAnswer<'lsRatioHistory'>['data'][number]> = {
  lead: 0,
  make(ratios, index) {
    const long = round(ratios.longRatio[index] as number, 4);
    return { timestamp: iso(ratios.time[index] as number), longRatio: long, shortRatio: round(1 - long, 4) };
  },
};
