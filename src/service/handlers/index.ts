import type { EndpointName, Query } from '../../contract/index.ts';
import type { AnswerSource } from '../archive/sources.ts';
import * as candles from './candles.ts';
import * as crossAsset from './cross-asset.ts';
import * as dataChecks from './data-checks.ts';
import * as dataQuality from './data-quality.ts';
import * as funding from './funding.ts';
import type { Handler, Handlers } from './handler.ts';
import * as liquidationEstimates from './liquidation-estimates.ts';
import * as liquidations from './liquidations.ts';
import * as listings from './listings.ts';
import * as market from './market.ts';
import * as meta from './meta.ts';
import * as openInterest from './open-interest.ts';
import * as prices from './prices.ts';
import * as regime from './regime.ts';
import * as venues from './venues.ts';

/** One handler for each endpoint of the contract, by its name. The code does not compile if a handler is missing. */
export const handlers: Handlers = {
  ...candles,
  ...crossAsset,
  ...dataChecks,
  ...dataQuality,
  ...funding,
  ...liquidationEstimates,
  ...liquidations,
  ...listings,
  ...market,
  ...meta,
  ...openInterest,
  ...prices,
  ...regime,
  ...venues,
};

/** Returns the sources without which an endpoint cannot respond to this query. */
export const feedsNeeded = (name: EndpointName, query: unknown): readonly AnswerSource[] => {
  const { needs, needsFor = () => [] }: Handler<EndpointName> = handlers[name] as Handler<EndpointName>;
  return [...needs, ...needsFor(query as Query<EndpointName>)];
};

/** Returns all sources that an endpoint's response is made from. */
export const feedsOf = (name: EndpointName): readonly AnswerSource[] => {
  const { needs, uses = [] }: Handler<EndpointName> = handlers[name];
  return [...needs, ...uses];
};
