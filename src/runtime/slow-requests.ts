import { second } from './units.ts';

/**
 * For Node's HTTP servers: whoever drips a request in slowly is cut off at ten seconds. Node looks for such
 * connections only every thirty seconds unless it is told to look more often.
 */
export const slowRequests = {
  requestTimeout: 10 * second,
  headersTimeout: 10 * second,
  connectionsCheckingInterval: second,
} as const;
