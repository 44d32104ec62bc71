import { contract, type Endpoint, type EndpointAnswer, type EndpointName } from '../contract/index.ts';
import { ApiError } from '../runtime/errors.ts';
import type { Ask, Inquiry } from './ask.ts';
import type { Payer } from './budget.ts';

/** The questions that can be put, by name: those that a service may not offer, or not in full, as far as it does. */
export function createMethods(ask: Ask) {
  /** Those that were refused more rows than every service gives. */
  const refusedLimits = new Set<Endpoint>();
  /** What the service last said it offers beyond the interface. */
  let extensions: ReadonlySet<string> | undefined;

  async function meta(
    query: Record<string, unknown>,
    { payer, signal }: Omit<Inquiry, 'query'>,
  ): Promise<unknown> {
    try {
      const answer = (await ask(contract.meta, { query, payer, signal })) as EndpointAnswer<'meta'>;
      extensions = new Set(answer.extensions);
      return answer;
    } catch (error) {
      if (error instanceof ApiError && error.reason === 'not_offered') extensions = new Set();
      throw error;
    }
  }

  /** An extension is asked for only where the service says that it has it: a request for less would be wasted. */
  async function extension(name: EndpointName, asked: Inquiry): Promise<unknown> {
    if (extensions === undefined) {
      await meta({}, asked).catch((error: unknown) => {
        if (!(error instanceof ApiError && error.reason === 'not_offered')) throw error;
      });
    }
    if (extensions?.has(name) !== true)
      throw new ApiError(contract[name].path, 'not_offered', 'this service does not offer it');
    return ask(contract[name], asked);
  }

  /** As many rows as are wanted, or as every service gives: a refusal is remembered. */
  async function limited(
    endpoint: Endpoint,
    { query, safe, payer, signal }: Inquiry & { readonly safe: number },
  ): Promise<unknown> {
    const wanted = Number(query.limit ?? safe);
    const take = (limit: number) => ask(endpoint, { query: { ...query, limit }, payer, signal });
    if (wanted <= safe || refusedLimits.has(endpoint)) return take(Math.min(wanted, safe));
    try {
      return await take(wanted);
    } catch (error) {
      const refused =
        error instanceof ApiError && error.reason === 'invalid_request' && error.field === undefined;
      if (!refused) throw error;
      const answer = await take(safe);
      refusedLimits.add(endpoint);
      return answer;
    }
  }

  return (name: EndpointName, payer: Payer) => {
    const endpoint: Endpoint = contract[name];
    const { safeLimit: safe } = endpoint;
    return (query: Record<string, unknown> = {}, signal?: AbortSignal): Promise<unknown> => {
      if (name === 'meta') return meta(query, { payer, signal });
      if (endpoint.extension === true) return extension(name, { query, payer, signal });
      if (safe !== undefined) return limited(endpoint, { query, safe, payer, signal });
      return ask(endpoint, { query, payer, signal });
    };
  };
}
