import { z } from 'zod';
import { contract, type EndpointName, errorBody } from '../../contract/index.ts';
import { parametersOf } from './query.ts';

const failures: Readonly<Record<string, string>> = {
  400: 'A parameter is malformed, out of bounds or repeated (never clamped); `Invalid symbol` for an unknown pair',
  401: 'Unknown API key or session token',
  429: 'More than 300 requests in 15 minutes without an API key; see Retry-After',
  501: 'Not offered by this service',
  503: 'Not loaded yet; see Retry-After',
};

const json = (schema: unknown) => ({ 'application/json': { schema } });

/** OpenAPI 3.1 of the contract; `x-extension` marks what the interface does not list. */
export const openApi = {
  openapi: '3.1.0',
  info: {
    title: 'Crypto market intelligence',
    version: 'v1',
    description:
      'Times are ISO 8601 UTC with milliseconds. What an upstream cannot supply is omitted. ' +
      'Unknown parameters are ignored. Where no order is stated, oldest first.',
  },
  servers: [{ url: '/api/v1' }],
  security: [{}, { apiKey: [] }, { session: [] }],
  paths: Object.fromEntries(
    (Object.keys(contract) as EndpointName[]).map((name) => {
      const endpoint = contract[name];
      const operation = {
        operationId: name,
        summary: endpoint.summary,
        ...('extension' in endpoint && endpoint.extension === true ? { 'x-extension': true } : {}),
        'x-cadence-seconds': endpoint.cadence,
        parameters: parametersOf(endpoint).map(({ name: parameter, schema }) => ({
          name: parameter,
          in: 'query',
          required: false,
          schema,
        })),
        responses: {
          200: {
            description: 'The answer',
            // The wire form: what the contract's labels are before they are read.
            content: json(z.toJSONSchema(endpoint.answer, { io: 'input', unrepresentable: 'any' })),
          },
          ...Object.fromEntries(
            Object.entries(failures).map(([status, description]) => [
              status,
              { description, content: json({ $ref: '#/components/schemas/Error' }) },
            ]),
          ),
        },
      };
      return [endpoint.path, { get: operation }];
    }),
  ),
  components: {
    schemas: { Error: z.toJSONSchema(errorBody, { io: 'input' }) },
    securitySchemes: {
      apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      session: { type: 'http', scheme: 'bearer' },
    },
  },
};
