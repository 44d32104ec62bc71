import { z } from 'zod';
import type { Contract, EndpointName, Query } from '../../contract/index.ts';
import { contract } from '../../contract/index.ts';
import { InputError } from '../../runtime/errors.ts';

/** A query parameter with its JSON schema, which has a `default` if leaving the parameter out has a meaning. */
type Parameter = {
  readonly name: string;
  readonly schema: z.core.JSONSchema.BaseSchema;
};

export function parametersOf(endpoint: Contract[EndpointName]): Parameter[] {
  const { properties = {} } = z.toJSONSchema(endpoint.query, { io: 'output', unrepresentable: 'any' });
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema: typeof schema === 'object' ? schema : {},
  }));
}

const ruleByParameter = new Map(
  Object.values(contract).flatMap((endpoint) =>
    parametersOf(endpoint).map(({ name, schema }) => [`${endpoint.path} ${name}`, ruleOf(schema)] as const),
  ),
);

const venuePaths: readonly string[] = Object.values(contract)
  .filter(({ query }) => 'venue' in query.shape)
  .map(({ path }) => path);

function ruleOf(schema: z.core.JSONSchema.BaseSchema): string {
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`;
  if (schema.type === 'integer') return `an integer from ${schema.minimum} to ${schema.maximum}`;
  if (schema.type === 'number' && schema.minimum !== undefined)
    return `a number from ${schema.minimum} to ${schema.maximum}`;
  if (schema.type === 'number') return `a number above ${schema.exclusiveMinimum}, at most ${schema.maximum}`;
  if (schema.format !== 'date-time') return 'the short name of a venue, as /venues lists them';
  return 'an ISO 8601 timestamp such as 2026-01-01T00:00:00.000Z';
}

/**
 * Parses a query as it was received: text over HTTP, values from a typed caller. Unknown parameters are ignored, except
 * `venue`, which is refused by an endpoint that does not know it; nothing is clamped.
 * @throws InputError naming parameter, rule and value; `Invalid symbol` for a symbol.
 */
export function parseQuery<Name extends EndpointName>(
  name: Name,
  given: Readonly<Record<string, unknown>>,
): Query<Name> {
  const endpoint = contract[name];
  // Otherwise the answer would contain the primary venue's data, which the caller did not ask for.
  if (given.venue !== undefined && !venuePaths.includes(endpoint.path))
    throw new InputError(
      `${endpoint.path} takes no venue: what is kept of others than the primary one is told by ${venuePaths.join(', ')}`,
    );
  const parsed = endpoint.query.safeParse(given);
  if (parsed.success) return parsed.data as Query<Name>;
  const parameter = String(parsed.error.issues[0]?.path[0]);
  const value = given[parameter];
  if (Array.isArray(value)) throw new InputError(`${parameter} may be given only once`);
  if (parameter === 'symbol') throw new InputError('Invalid symbol');
  throw new InputError(
    `${parameter} must be ${ruleByParameter.get(`${endpoint.path} ${parameter}`)}; given: ${quoteValue(value)}`,
  );
}

/** Returns a value quoted, so that control characters are escaped, and cut. */
const quoteValue = (value: unknown): string => JSON.stringify(String(value).slice(0, 40));
