import { contract, type Endpoint, type EndpointAnswer, type EndpointName } from '../contract/index.ts';
import { ApiError, ifOffered } from '../runtime/errors.ts';
import type { Ask, Inquiry } from './ask.ts';
import type { Payer } from './request-budget.ts';

/**
 * Creates the client's method of each endpoint. The methods handle what a service may lack: extensions of the interface,
 * and limits above the number of rows that every service gives.
 */
export function createMethods(ask: Ask) {
  /** Endpoints at which the service refused a limit above `safeLimit`. */
  const refusedLimits = new Set<Endpoint>();
  /** The extensions of the interface that the service last reported. */
  let extensions: ReadonlySet<string> | undefined;

  async function askMeta(
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

  /** Requests an extension only if the service reports that it has it, so that no request of the budget is wasted. */
  async function askExtension(name: EndpointName, inquiry: Inquiry): Promise<unknown> {
    if (extensions === undefined) await ifOffered(askMeta({}, inquiry));
    if (extensions?.has(name) !== true)
      throw new ApiError(contract[name].path, 'not_offered', 'this service does not offer it');
    return ask(contract[name], inquiry);
  }

  /** Requests the wanted number of rows. If the service refuses that many, requests `safe` rows, and remembers the refusal. */
  async function askLimited(
    endpoint: Endpoint,
    { query, safe, payer, signal }: Inquiry & { readonly safe: number },
  ): Promise<unknown> {
    const wanted = Number(query.limit ?? safe);
    const askRows = (limit: number) => ask(endpoint, { query: { ...query, limit }, payer, signal });
    if (wanted <= safe || refusedLimits.has(endpoint)) return askRows(Math.min(wanted, safe));
    try {
      return await askRows(wanted);
    } catch (error) {
      const isLimitRefused =
        error instanceof ApiError && error.reason === 'invalid_request' && error.field === undefined;
      if (!isLimitRefused) throw error;
      const answer = await askRows(safe);
      refusedLimits.add(endpoint);
      return answer;
    }
  }

  return (name: EndpointName, payer: Payer) => {
    const endpoint: Endpoint = contract[name];
    const { safeLimit: safe } = endpoint;
    const send = (inquiry: Inquiry): Promise<unknown> => {
      if (name === 'meta') return askMeta(inquiry.query, inquiry);
      if (endpoint.extension === true) return askExtension(name, inquiry);
      return safe === undefined ? ask(endpoint, inquiry) : askLimited(endpoint, { ...inquiry, safe });
    };
    return async (query: Record<string, unknown> = {}, signal?: AbortSignal): Promise<unknown> => {
      const answer = await send({ query, payer, signal });
      // A service that knows no venues ignores the parameter and responds for its only venue.
      if (query.venue !== undefined && (answer as { readonly venue?: string }).venue !== query.venue)
        throw new ApiError(endpoint.path, 'not_offered', 'this service tells of one exchange alone');
      return answer;
    };
  };
}
