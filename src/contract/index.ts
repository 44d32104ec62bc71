import type { z } from 'zod';
import { candles } from './candles.ts';
import { dataQuality, dataQualityHistory } from './data-quality.ts';
import {
  fundingCurrent,
  fundingExtremes,
  fundingHistory,
  fundingIntervals,
  fundingStandings,
} from './funding.ts';
import { liquidationCascade, liquidationScore, liquidations, liquidationZones } from './liquidations.ts';
import {
  basis,
  crossAssetHistory,
  intelligence,
  lsRatioHistory,
  marketOverview,
  optionsSummary,
  spread,
  volumeCvd,
} from './market.ts';
import { meta } from './meta.ts';
import { leverage, oi, oiMomentum, oiVelocity } from './open-interest.ts';
import { regime, regimeHistory, regimeProbabilities } from './regime.ts';

/** Everything the data service promises. A client method and a handler exist for each key, or it does not compile. */
export const contract = {
  regime,
  regimeProbabilities,
  regimeHistory,
  basis,
  dataQuality,
  dataQualityHistory,
  liquidations,
  marketOverview,
  volumeCvd,
  intelligence,
  crossAssetHistory,
  lsRatioHistory,
  fundingCurrent,
  fundingHistory,
  optionsSummary,
  spread,
  oi,
  oiMomentum,
  fundingExtremes,
  meta,
  fundingIntervals,
  fundingStandings,
  candles,
  oiVelocity,
  leverage,
  liquidationZones,
  liquidationCascade,
  liquidationScore,
} as const;

export type Contract = typeof contract;
export type EndpointName = keyof Contract;
/** What a caller may write: defaults left out. */
export type QueryInput<Name extends EndpointName> = z.input<Contract[Name]['query']>;
/** What a handler reads: defaults filled in. */
export type Query<Name extends EndpointName> = z.output<Contract[Name]['query']>;
export type EndpointAnswer<Name extends EndpointName> = z.output<Contract[Name]['answer']>;

export type { Endpoint } from './endpoint.ts';
export { errorBody, login } from './login.ts';
