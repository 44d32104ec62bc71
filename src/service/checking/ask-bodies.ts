import { contract, type EndpointAnswer } from '../../contract/index.ts';
import type { Bodies } from '../http/bodies.ts';
import { parseQuery } from '../http/query.ts';
import type { AskOwn } from './published.ts';

/**
 * Asks for the answers that callers get, cached ones included, so that the data check also detects an answer that was not made
 * anew when it should have been.
 */
export const askBodies =
  (bodies: Pick<Bodies, 'get'>): AskOwn =>
  async (name, query) => {
    const { bytes } = await bodies.get(name, parseQuery(name, query));
    return contract[name].answer.parse(JSON.parse(bytes.toString())) as EndpointAnswer<typeof name>;
  };
