import { z } from 'zod';
import { quoted } from '../../language/closest.ts';
import { UserError } from '../../language/errors.ts';
import { listOf, msg } from '../../language/text.ts';
import type { JsonObjectSchema } from '../../runtime/mcp.ts';
import { ruleInput, silenceInput, subscriptionChange, subscriptionInput } from '../../shell/place-inputs.ts';
import type { ApiOperation, ApiPorts, ApiRequest } from './api-operations.ts';
import { schemaOf, toTypedInputs } from './input-schema.ts';
import { type ApiChangeName, apiItems } from './ports/api.ts';

interface ChangeRoute {
  readonly verb: 'create' | 'edit' | 'end' | 'pause' | 'resume';
  /** The words by which people do the same. */
  readonly command: string;
  /** What the body gives. Absent: the path says all. */
  readonly input?: z.ZodObject;
}

const routes = {
  subscription: [
    { verb: 'create', command: 'subscribe', input: subscriptionInput },
    { verb: 'edit', command: 'edit', input: subscriptionChange },
    { verb: 'end', command: 'unsubscribe' },
  ],
  rule: [
    { verb: 'create', command: 'alert create', input: ruleInput },
    { verb: 'edit', command: 'alert edit', input: ruleInput },
    { verb: 'end', command: 'alert delete' },
    { verb: 'pause', command: 'alert pause' },
    { verb: 'resume', command: 'alert resume' },
  ],
  silence: [
    { verb: 'create', command: 'silence', input: silenceInput },
    { verb: 'end', command: 'unsilence' },
  ],
} as const satisfies Partial<Record<keyof typeof apiItems, readonly ChangeRoute[]>>;

const methods = { create: 'post', edit: 'patch', end: 'delete', pause: 'post', resume: 'post' } as const;

const capitalized = (word: string): string => `${word[0]?.toUpperCase()}${word.slice(1)}`;

/** Returns the operations that change something, with the limits, checks and audit records of what people do. */
export const changeOperations = ({ api }: Pick<ApiPorts, 'api'>): ApiOperation[] =>
  Object.entries(routes).flatMap(([what, all]) =>
    all.map((route) => operationOf(what as keyof typeof routes, route, api)),
  );

function operationOf(
  what: keyof typeof routes,
  { verb, command, input }: ChangeRoute,
  api: ApiPorts['api'],
): ApiOperation {
  const id = `${verb}${capitalized(what)}`;
  const path = `/${what}s${verb === 'create' ? '' : '/{id}'}${verb === 'pause' || verb === 'resume' ? `/${verb}` : ''}`;
  return {
    method: methods[verb],
    path,
    id,
    summary: `${capitalized(verb)} a ${what}, as the command "${command}" does`,
    scope: 'manage',
    query: z.object({}),
    body: input && bodyOf(input),
    answer: z.object({
      title: z.string(),
      summary: z.string().optional(),
      /** The items that are new or have changed. */
      data: z.array(apiItems[what]),
    }),
    run({ caller, id: thing, body }) {
      requireKnown(body, input, `${methods[verb].toUpperCase()} ${path}`);
      const typed = input === undefined ? {} : toTypedInputs(body, input);
      return api.change(id as ApiChangeName, caller, { id: thing, input: typed });
    },
  };
}

const bodyOf = (input: z.ZodObject): JsonObjectSchema => {
  const { type, ...rest } = schemaOf(input);
  return { type, additionalProperties: false, ...rest };
};

/** Throws UserError for a value that the operation does not take. */
function requireKnown(body: ApiRequest['body'], input: z.ZodObject | undefined, command: string): void {
  const known = Object.keys(input?.shape ?? {});
  const unknown = Object.keys(body).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const remedy =
    input === undefined
      ? msg('{command} takes no input.', { command })
      : msg('It takes {keys}.', { keys: listOf(known) });
  throw new UserError(remedy, { title: msg('There is no input {key}', { key: quoted(unknown) }) });
}
