import { contract, type EndpointAnswer } from '../../contract/index.ts';
import type { Bodies } from '../http/bodies.ts';
import { parseQuery } from '../http/query.ts';
import type { AskOwn } from './published.ts';

/** What callers get, with what is kept for them: an answer that is not made anew when it should be is found too. */
export const askBodies =
  (bodies: Pick<Bodies, 'get'>): AskOwn =>
  async (name, query) => {
    const { bytes } = await bodies.get(name, parseQuery(name, query));
    return contract[name].answer.parse(JSON.parse(bytes.toString())) as EndpointAnswer<typeof name>;
  };
