import type { EndpointName } from '../../contract/index.ts';
import { dataQuality, dataQualityHistory } from './data-quality.ts';
import { fundingCurrent, fundingExtremes, fundingHistory } from './funding.ts';
import type { Feed, Handler, Handlers } from './handler.ts';
import { liquidations } from './liquidations.ts';
import { meta } from './meta.ts';
import { oi, oiMomentum } from './open-interest.ts';

/** One handler for each endpoint of the contract: a missing or an extra one does not compile. */
export const handlers = {
  dataQuality,
  dataQualityHistory,
  fundingCurrent,
  fundingExtremes,
  fundingHistory,
  liquidations,
  meta,
  oi,
  oiMomentum,
} satisfies Handlers;

/** What an endpoint's answer is made from. */
export const feedsOf = (name: EndpointName): readonly Feed[] => {
  const { needs, uses = [] }: Handler<EndpointName> = handlers[name];
  return [...needs, ...uses];
};
