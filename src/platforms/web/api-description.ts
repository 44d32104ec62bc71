import { z } from 'zod';
import type { ApiOperation } from './api-operations.ts';

const json = (schema: object) => ({ 'application/json': { schema } });
const error = z.object({ error: z.string() });
const schemaOf = (schema: z.ZodType): object => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' });
  return rest;
};

/** Returns the OpenAPI 3.1 description of the operations. */
export const describeOperations = (operations: readonly ApiOperation[]): object => ({
  openapi: '3.1.0',
  info: { title: 'Tocsin', version: 'v1', description: usageNotes },
  servers: [{ url: '/api/v1' }],
  security: [{}, { apiKey: [] }, { bearer: [] }],
  paths: Object.fromEntries(
    [...Map.groupBy(operations, ({ path }) => path)].map(([path, of]) => [
      path,
      Object.fromEntries(of.map((each) => [each.method, describeOperation(each)])),
    ]),
  ),
  components: {
    schemas: { Error: schemaOf(error) },
    securitySchemes: {
      apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      bearer: { type: 'http', scheme: 'bearer' },
    },
  },
});

function describeOperation({ id, summary, scope, query, path, body, answer }: ApiOperation) {
  const { properties = {} } = z.toJSONSchema(query, { io: 'input', unrepresentable: 'any' });
  const parameters = [
    ...(path.includes('{id}')
      ? [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }]
      : []),
    ...Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: false, schema })),
  ];
  return {
    operationId: id,
    summary,
    'x-scope': scope,
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: { required: true, content: json(body) } }),
    responses: {
      200: { description: 'The answer', content: json(schemaOf(answer)) },
      ...failures,
      ...(scope === 'manage' && {
        409: failure('It is there already, something else decides it, or a limit is reached'),
      }),
      ...(path.includes('{id}') && { 404: failure('There is none of this id at the key’s place') }),
    },
  };
}

const failure = (description: string) => ({
  description,
  content: json({ $ref: '#/components/schemas/Error' }),
});
const failures = {
  400: failure('Something given is not as described, or cannot be done: the error says what helps'),
  401: failure('No key, or one that is unknown or revoked'),
  403: failure('The key has not the scope'),
  500: failure('A defect of the bot: the error has the reference under which it is logged'),
  503: failure('The database or the data service does not answer: ask again after Retry-After seconds'),
};

const usageNotes = [
  '- A key is of one place (npm start -- key create): what is read and changed is that place’s.',
  '- Without a key, whoever may open the page reads what its room has; changes take a key with the scope manage.',
  '- Times are ISO 8601, UTC, of the market’s clock. Lists have pages: give "next" as cursor until it is null.',
  '- Every error is an object with the one field error.',
].join('\n');
