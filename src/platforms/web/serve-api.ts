import type { FastifyInstance, FastifyRequest } from 'fastify';
import { UserError } from '../../language/errors.ts';
import { describeOperations } from './api-description.ts';
import { type ApiPorts, apiOperations } from './api-operations.ts';
import { apiRoot } from './routes.ts';
import { type Admit, refuse } from './visitor.ts';

/** Serves the HTTP API: each operation is a route, and a part of /api/v1/openapi.json. */
export function serveApi(
  app: FastifyInstance,
  { admit, ...ports }: { readonly admit: Admit } & ApiPorts,
): void {
  const operations = apiOperations(ports);
  for (const operation of operations) {
    const { method, path, scope } = operation;
    app.route({
      method,
      url: `${apiRoot}${path.replace('{id}', ':id')}`,
      async handler(request: FastifyRequest, reply) {
        const visitor = await admit(request);
        if (visitor === undefined || !visitor.rights.has(scope)) return refuse(reply, { visitor, scope });
        const { id = '' } = request.params as { readonly id?: string };
        const asked = {
          caller: visitor,
          id,
          query: request.query,
          body: objectIn(request.body),
        };
        return operation.run(asked);
      },
    });
  }
  let description: object | undefined;
  app.get(`${apiRoot}/openapi.json`, () => {
    description ??= describeOperations(operations);
    return description;
  });
}

/** Returns the body, which some operations do without. @throws UserError */
function objectIn(body: unknown): Readonly<Record<string, unknown>> {
  if (body === undefined) return {};
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body };
  throw new UserError('the body is no JSON object: give one, such as {"metric": "funding.z", "above": 2.5}');
}
