import { second } from './units.ts';

/**
 * Options for Node's HTTP servers: a client that sends its request too slowly is cut off after ten seconds. By default
 * Node looks for such connections only every thirty seconds.
 */
export const slowRequests = {
  requestTimeout: 10 * second,
  headersTimeout: 10 * second,
  connectionsCheckingInterval: second,
} as const;
