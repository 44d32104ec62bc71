import { contract, type EndpointAnswer, type EndpointName, type QueryInput } from '../contract/index.ts';
import { ApiError } from '../runtime/errors.ts';
import type { Ask } from './ask.ts';
import type { Payer } from './budget.ts';

/** The interface gives no bound for the limit of /funding/extremes; every service takes its default. */
const extremesDefault = 30;

/** The questions that can be put, by name: those that a service may not offer, or not in full, as far as it does. */
export function createMethods(ask: Ask) {
  let extremesLimit = Number.POSITIVE_INFINITY;
  /** What the service last said it offers beyond the interface. */
  let extensions: ReadonlySet<string> | undefined;

  async function meta(
    query: Record<string, unknown>,
    payer: Payer,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    try {
      const answer = (await ask(contract.meta, query, payer, signal)) as EndpointAnswer<'meta'>;
      extensions = new Set(answer.extensions);
      return answer;
    } catch (error) {
      if (error instanceof ApiError && error.reason === 'not_offered') extensions = new Set();
      throw error;
    }
  }

  /** An extension is asked for only where the service says that it has it: a request for less would be wasted. */
  async function extension(
    name: EndpointName,
    query: Record<string, unknown>,
    payer: Payer,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    if (extensions === undefined) {
      await meta({}, payer, signal).catch((error: unknown) => {
        if (!(error instanceof ApiError && error.reason === 'not_offered')) throw error;
      });
    }
    if (extensions?.has(name) !== true)
      throw new ApiError(contract[name].path, 'not_offered', 'this service does not offer it');
    return ask(contract[name], query, payer, signal);
  }

  async function fundingExtremes(
    query: QueryInput<'fundingExtremes'>,
    payer: Payer,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    const wanted = Number(query.limit ?? extremesDefault);
    const take = (limit: number) => ask(contract.fundingExtremes, { ...query, limit }, payer, signal);
    if (wanted > extremesLimit) return take(extremesLimit);
    try {
      return await take(wanted);
    } catch (error) {
      const refused =
        error instanceof ApiError && error.reason === 'invalid_request' && error.field === undefined;
      if (!refused || wanted <= extremesDefault) throw error;
      const answer = await take(extremesDefault);
      extremesLimit = extremesDefault;
      return answer;
    }
  }

  return (name: EndpointName, payer: Payer) => {
    const endpoint = contract[name];
    return (query: Record<string, unknown> = {}, signal?: AbortSignal): Promise<unknown> => {
      if (name === 'fundingExtremes') return fundingExtremes(query, payer, signal);
      if (name === 'meta') return meta(query, payer, signal);
      if ('extension' in endpoint && endpoint.extension === true)
        return extension(name, query, payer, signal);
      return ask(endpoint, query, payer, signal);
    };
  };
}
