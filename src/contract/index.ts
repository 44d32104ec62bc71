import type { z } from 'zod';
import * as candles from './candles.ts';
import * as dataQuality from './data-quality.ts';
import type { Endpoint } from './endpoint.ts';
import * as funding from './funding.ts';
import * as liquidations from './liquidations.ts';
import * as listings from './listings.ts';
import * as market from './market.ts';
import * as meta from './meta.ts';
import * as openInterest from './open-interest.ts';
import * as regime from './regime.ts';
import * as venues from './venues.ts';

/**
 * All endpoints of the data service. The imported files export endpoints and nothing else. The code compiles only if every
 * endpoint has a client method and a handler.
 */
export const contract = {
  ...candles,
  ...dataQuality,
  ...funding,
  ...liquidations,
  ...listings,
  ...market,
  ...meta,
  ...openInterest,
  ...regime,
  ...venues,
} as const satisfies Readonly<Record<string, Endpoint>>;

export type Contract = typeof contract;
export type EndpointName = keyof Contract;
/** The query as a caller writes it: parameters with a default may be left out. */
export type QueryInput<Name extends EndpointName> = z.input<Contract[Name]['query']>;
/** The query as a handler reads it: defaults are filled in. */
export type Query<Name extends EndpointName> = z.output<Contract[Name]['query']>;
export type EndpointAnswer<Name extends EndpointName> = z.output<Contract[Name]['answer']>;

export { cadenceOf, type Endpoint } from './endpoint.ts';
export { errorBody, login } from './login.ts';
