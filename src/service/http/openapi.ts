import { z } from 'zod';
import { contract, type Endpoint, type EndpointName, errorBody, login } from '../../contract/index.ts';
import { maxStreamed, stream, streamEvents } from '../../contract/stream.ts';
import { formatDuration } from '../../runtime/units.ts';
import type { RequestLimits } from '../access/limit.ts';
import { parametersOf } from './query.ts';

type Schema = z.core.JSONSchema.BaseSchema;

const json = (schema: Schema) => ({ 'application/json': { schema } });
// The schema of the JSON as it is sent, in which labels are not yet parsed by the contract.
const wireSchema = (schema: z.ZodType): Schema =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema;

const failures = (descriptions: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(descriptions).map(([status, description]) => [
      status,
      { description, content: json({ $ref: '#/components/schemas/Error' }) },
    ]),
  );

/** Describes the contract in OpenAPI 3.1, including what the interface leaves open and this service has decided. */
export const describeApi = (limits: RequestLimits) => ({
  openapi: '3.1.0',
  info: { title: 'Crypto market intelligence', version: 'v1', description: rules(limits).join('\n') },
  servers: [{ url: '/api/v1' }],
  security: [{}, { apiKey: [] }, { session: [] }],
  paths: Object.fromEntries([
    ...(Object.keys(contract) as EndpointName[]).map((name) => [
      contract[name].path,
      { get: operation(name, limits) },
    ]),
    [stream.path, { get: streamOperation }],
    [login.path, { servers: [{ url: '/' }], post: loginOperation }],
  ]),
  components: {
    schemas: { Error: wireSchema(errorBody) },
    securitySchemes: {
      apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      session: { type: 'http', scheme: 'bearer' },
    },
  },
});

const rules = ({ window, anonymous, key }: RequestLimits): string[] => {
  const per = `in any ${formatDuration(window)}`;
  return [
    '- Times are ISO 8601 UTC with milliseconds. Values listed as strings are decimal strings.',
    '- Rows are oldest first, but for /regime/history and /liquidations, which are newest first.',
    '- What an upstream cannot supply is omitted, never invented.',
    '- A signal or label is computed from the numbers as they are published.',
    '- hours and days may have fractions and are above 0; limit is an integer from 1.',
    '- A parameter that is malformed, out of bounds or given twice is refused with 400, never clamped; ' +
      'the error names parameter, bound and value. An unknown parameter is ignored, but for a venue: ' +
      'where other venues than the primary one have no answer, it is refused.',
    '- symbol may be in lower case. A pair that is not tracked is refused with 400, `Invalid symbol`.',
    '- Every error is a JSON object with the one field `error`. Unknown paths are 404, wrong methods 405.',
    `- ${anonymous} requests ${per} without a key, pooled per client address (IPv6: per /64); ` +
      `${key} for each API key, where it has no number of its own, and for the sessions of one account. ` +
      'Beyond: 429 with Retry-After in seconds.',
    '- An API key or session token that is unknown, revoked or expired is 401, also where none is needed.',
    '- What the venue does not publish, or this service does not offer: 501.',
    '- A venue that does not answer, or data that is not there yet: 502 with Retry-After.',
    '- While the past is still being loaded: 503 with Retry-After; /meta says how far it is.',
    '- Answers carry ETag and Cache-Control, are compressed with br or gzip on request, and change at most ' +
      'once in their cadence or when their data does. HEAD is answered wherever GET is.',
    '- Outside the limits: /healthz, /readyz, /metrics, /openapi.json.',
  ];
};

function operation(name: EndpointName, { window, anonymous }: RequestLimits) {
  const endpoint: Endpoint = contract[name];
  return {
    operationId: name,
    summary: endpoint.summary,
    // Not part of the interface: a hosted service may lack it.
    ...(endpoint.extension === true && { 'x-extension': true }),
    'x-cadence-seconds': endpoint.cadence,
    parameters: parametersOf(contract[name]).map((parameter) => ({
      ...parameter,
      in: 'query',
      required: false,
    })),
    responses: {
      200: { description: 'The answer', content: json(wireSchema(endpoint.answer)) },
      ...failures({
        400: 'A parameter is malformed, out of bounds or repeated; `Invalid symbol` for an unknown pair',
        401: 'Unknown, revoked or expired credential',
        429: `More than ${anonymous} requests in ${formatDuration(window)} without an API key, or more than the key's own; see Retry-After`,
        501: 'The venue does not publish this, or this service does not offer it',
        502: 'A venue does not answer, or there is no data yet to answer this question; see Retry-After',
        503: 'Not loaded yet; see Retry-After',
      }),
    },
  };
}

const streamOperation = {
  operationId: stream.name,
  summary: 'Prices, liquidations, listings and the regime as they change, as server-sent events',
  description:
    'The schema is that of the data of each event, by its name. First comes the price of every symbol, then what ' +
    'changes, at most once a second; a second without a change brings an event without rows. Who names symbols is told ' +
    'prices of these alone; after an id of other symbols, all of theirs come first.',
  'x-extension': true,
  'x-cadence-seconds': 1,
  parameters: [
    {
      name: 'symbols',
      in: 'query',
      required: false,
      schema: {
        type: 'string',
        description: `The symbols whose prices are told, separated by commas, at most ${maxStreamed}; left out: all`,
      },
    },
    {
      name: 'Last-Event-ID',
      in: 'header',
      required: false,
      schema: {
        type: 'string',
        description: 'The id of the last event received: only what is newer follows',
      },
    },
  ],
  responses: {
    200: {
      description: 'The events, for as long as the connection lasts',
      content: { 'text/event-stream': { schema: wireSchema(z.object(streamEvents).partial()) } },
    },
    ...failures({
      400: 'symbols are no pairs separated by commas, or too many',
      401: 'Unknown, revoked or expired credential',
      429: 'Too many requests; see Retry-After',
      501: 'This service does not hear prices as they change',
      503: 'No prices yet, or too many listen already; see Retry-After',
    }),
  },
};

const loginOperation = {
  operationId: 'login',
  summary: 'A session token, valid for 24 hours, for an account of this service',
  requestBody: { required: true, content: json(wireSchema(login.body)) },
  responses: {
    200: { description: 'Send it as Authorization: Bearer …', content: json(wireSchema(login.answer)) },
    ...failures({
      400: 'The body is not as described',
      401: 'Wrong email or password',
      429: 'Too many failed logins of this account or from this address; see Retry-After',
      503: 'Too many logins at once; see Retry-After',
    }),
  },
};
