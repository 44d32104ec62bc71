import { z } from 'zod';
import { quoted } from '../../language/closest.ts';
import { UserError } from '../../language/errors.ts';
import { listOf, msg } from '../../language/text.ts';
import type { JsonObjectSchema } from '../../runtime/mcp.ts';
import type { Command } from '../../shell/command.ts';
import type { ApiOperation, ApiPorts, ApiRequest } from './api-operations.ts';
import { inputOf, toTypedInputs } from './command-schema.ts';
import { type ApiChangeName, apiItems } from './ports/api.ts';

interface ChangeRoute {
  readonly verb: 'create' | 'edit' | 'end' | 'pause' | 'resume';
  /** The command that does the same for people, whose input is the body; and which of its actions is meant. */
  readonly command: string;
  readonly action?: string;
}

const routes = {
  subscription: [
    { verb: 'create', command: 'subscribe' },
    { verb: 'edit', command: 'edit' },
    { verb: 'end', command: 'unsubscribe' },
  ],
  rule: [
    { verb: 'create', command: 'alert', action: 'create' },
    { verb: 'edit', command: 'alert', action: 'edit' },
    { verb: 'end', command: 'alert', action: 'delete' },
    { verb: 'pause', command: 'alert', action: 'pause' },
    { verb: 'resume', command: 'alert', action: 'resume' },
  ],
  silence: [
    { verb: 'create', command: 'silence' },
    { verb: 'end', command: 'unsilence' },
  ],
} as const satisfies Partial<Record<keyof typeof apiItems, readonly ChangeRoute[]>>;

const methods = { create: 'post', edit: 'patch', end: 'delete', pause: 'post', resume: 'post' } as const;

const capitalized = (word: string): string => `${word[0]?.toUpperCase()}${word.slice(1)}`;

/** Returns the operations that change something, with the limits, checks and audit records of what people do. */
export const changeOperations = (ports: ApiPorts): ApiOperation[] =>
  Object.entries(routes).flatMap(([what, all]) =>
    all.flatMap((route) => operationOf(what as keyof typeof routes, route, ports)),
  );

function operationOf(
  what: keyof typeof routes,
  { verb, command: name, action }: ChangeRoute,
  { api, commands }: ApiPorts,
): ApiOperation[] {
  const command = commands.find((each) => each.name === name);
  if (command === undefined) return [];
  const id = `${verb}${capitalized(what)}`;
  const path = `/${what}s${verb === 'create' ? '' : '/{id}'}${verb === 'pause' || verb === 'resume' ? `/${verb}` : ''}`;
  const schema = verb === 'create' || verb === 'edit' ? bodyOf(command, action) : undefined;
  return [
    {
      method: methods[verb],
      path,
      id,
      summary: `${capitalized(verb)} a ${what}, as the command "${[name, action].filter(Boolean).join(' ')}" does`,
      scope: 'manage',
      query: z.object({}),
      body: schema,
      answer: z.object({
        title: z.string(),
        summary: z.string().optional(),
        /** The items that are new or have changed. */
        data: z.array(apiItems[what]),
      }),
      run({ caller, id: thing, body }) {
        requireKnown(body, schema);
        return api.change(id as ApiChangeName, caller, { id: thing, input: toTypedInputs(body, command) });
      },
    },
  ];
}

/** Throws UserError for a value that the operation does not take: its command may, and would do something else with it. */
function requireKnown(body: ApiRequest['body'], schema: JsonObjectSchema | undefined): void {
  const known = Object.keys((schema as BodySchema | undefined)?.properties ?? {});
  const unknown = Object.keys(body).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw new UserError(msg('It takes {keys}.', { keys: listOf(known) }), {
      title: msg('There is no input {key}', { key: quoted(unknown) }),
    });
}

type BodySchema = JsonObjectSchema & {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
};

/** Returns the schema of the command's input, without what the path already says. */
function bodyOf(command: Command, action: string | undefined): JsonObjectSchema {
  const { properties = {}, required, ...schema } = inputOf(command) as BodySchema;
  const { action: _, id: __, preview: ___, ...rest } = properties;
  const commandAction = action === undefined ? undefined : command.actions?.[action];
  const allowed =
    commandAction === undefined
      ? undefined
      : [...(commandAction.requiredInputs ?? []), ...(commandAction.optionalInputs ?? [])];
  const ownProperties = Object.entries(rest).filter(
    ([key]) => allowed === undefined || allowed.includes(key),
  );
  const needed = required?.filter((key) => ownProperties.some(([each]) => each === key)) ?? [];
  return {
    ...schema,
    type: 'object',
    properties: Object.fromEntries(ownProperties),
    ...(needed.length > 0 && { required: needed }),
  };
}
