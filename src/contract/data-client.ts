import type { EndpointAnswer, EndpointName, QueryInput } from './index.ts';

/** A typed method per endpoint. Every failure is an ApiError. */
export type DataClient = {
  readonly [Name in EndpointName]: (
    query?: QueryInput<Name>,
    signal?: AbortSignal,
  ) => Promise<EndpointAnswer<Name>>;
};
