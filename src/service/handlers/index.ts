import type { EndpointName } from '../../contract/index.ts';
import { candles } from './candles.ts';
import { crossAssetHistory } from './cross-asset.ts';
import { dataQuality, dataQualityHistory } from './data-quality.ts';
import {
  fundingCurrent,
  fundingExtremes,
  fundingHistory,
  fundingIntervals,
  fundingStandings,
} from './funding.ts';
import type { AnswerSource, Handler, Handlers } from './handler.ts';
import { liquidationCascade, liquidationScore, liquidationZones } from './liquidation-estimates.ts';
import { liquidations } from './liquidations.ts';
import {
  basis,
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

/** One handler for each endpoint of the contract: a missing or an extra one does not compile. */
export const handlers = {
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
} satisfies Handlers;

/** What an endpoint's answer is made from. */
export const feedsOf = (name: EndpointName): readonly AnswerSource[] => {
  const { needs, uses = [] }: Handler<EndpointName> = handlers[name];
  return [...needs, ...uses];
};
