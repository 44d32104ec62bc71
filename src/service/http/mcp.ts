import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { z } from 'zod';
import manifest from '../../../package.json' with { type: 'json' };
import { contract, type Endpoint, type EndpointName } from '../../contract/index.ts';
import { ApiError, InputError } from '../../runtime/errors.ts';
import type { JsonObjectSchema, McpOptions, Tool } from '../../runtime/mcp.ts';
import { sendError } from './failure.ts';
import type { Bodies } from './kept-bodies.ts';
import { parametersOf, parseQuery } from './query.ts';

/** The path at which agents send requests, if that is turned on. */
export const mcpPath = '/mcp';

interface AgentOptions {
  readonly bodies: Pick<Bodies, 'get'>;
  /** Returns why there is no answer yet; undefined if answers are available. */
  readonly notReadyReason: () => string | undefined;
  readonly log: Logger;
}

/** Returns one tool for each endpoint of the contract, under its operation's name. */
const toolsOf = (options: AgentOptions): readonly Tool[] =>
  (Object.keys(contract) as EndpointName[]).map((name) => toolOf(name, options));

/** Returns the options of the agents' route: name, version, instructions and tools. */
export const agentsOf = (options: AgentOptions): Omit<McpOptions, 'path'> => {
  const tools = toolsOf(options);
  return {
    name: 'tocsin-data',
    version: manifest.version,
    instructions,
    toolsFor(request, reply) {
      if (!isForeign(request)) return tools;
      sendError(reply, 403, 'Requests from other sites are not taken');
      return undefined;
    },
    log: options.log,
  };
};

/**
 * Tells whether a request comes from a page of another site; the protocol requires this check. Browsers send the origin
 * of the page, agents send none.
 */
const isForeign = ({ headers: { origin, host } }: FastifyRequest): boolean =>
  origin !== undefined && URL.parse(origin)?.host !== host;

function toolOf(name: EndpointName, { bodies, notReadyReason }: AgentOptions): Tool {
  const { summary, cadence, answer }: Endpoint = contract[name];
  return {
    name,
    description: `${summary}. Its data changes about every ${cadence} s.`,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(parametersOf(contract[name]).map((each) => [each.name, each.schema])),
      additionalProperties: false,
    },
    // The schema of the JSON as it is sent, in which labels are not yet parsed by the contract.
    outputSchema: z.toJSONSchema(answer, { io: 'input', unrepresentable: 'any' }) as JsonObjectSchema,
    readOnly: true,
    async call(given) {
      const notReady = name === 'meta' ? undefined : notReadyReason();
      if (notReady !== undefined) return { refused: notReady };
      try {
        const { bytes } = await bodies.get(name, parseQuery(name, given));
        const text = bytes.toString();
        return { value: JSON.parse(text), text };
      } catch (error) {
        if (error instanceof InputError || error instanceof ApiError) return { refused: error.message };
        throw error;
      }
    },
  };
}

const instructions = `Market data and analytics of crypto derivatives: funding, open interest, liquidations, regime, basis, volume delta, ratios, options.
Times are ISO 8601 UTC of the market's own clock: ask "meta" first, which says what time it is there, whether the market is simulated, recorded or live, how fresh each feed is, and which symbols are tracked (pairs such as BTCUSDT).
Rows are oldest first, but for regimeHistory and liquidations, which are newest first. Values that are strings are decimals. What an upstream cannot supply is left out, never invented. Answers marked "estimate" are estimates, and nothing here is a forecast or advice.`;
