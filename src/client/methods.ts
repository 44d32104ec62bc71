import { contract, type Endpoint, type EndpointAnswer, type EndpointName } from '../contract/index.ts';
import { ApiError } from '../runtime/errors.ts';
import type { Ask, Inquiry } from './ask.ts';
import type { Payer } from './budget.ts';

/** A service that knows of no venues answers for its one. @throws ApiError where it is not the one asked about */
function ofVenue(
  { path }: Endpoint,
  { query, given }: { readonly query: Record<string, unknown>; readonly given: unknown },
): unknown {
  if ((given as { readonly venue?: string }).venue === query.venue) return given;
  throw new ApiError(path, 'not_offered', 'this service tells of one exchange alone');
}

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
      const asked = { query, payer, signal };
      if (name === 'meta') return meta(query, asked);
      const answer =
        endpoint.extension === true
          ? extension(name, asked)
          : safe === undefined
            ? ask(endpoint, asked)
            : limited(endpoint, { ...asked, safe });
      return query.venue === undefined ? answer : answer.then((given) => ofVenue(endpoint, { query, given }));
    };
  };
}
