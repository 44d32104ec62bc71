import { z } from 'zod';
import type { Receiver } from '../../alert/subscription.ts';
import { renderJson } from '../../card/render-json.ts';
import { UserError } from '../../language/errors.ts';
import type { JsonObjectSchema } from '../../runtime/mcp.ts';
import type { Command } from '../../shell/command.ts';
import { apiRecords } from '../api.ts';
import type { ApiOperation, ApiPorts } from './api-operations.ts';
import { inputOf, refusalIn, typed } from './command-schema.ts';

/** The name of a command, and which of its actions is meant. */
type Order = readonly [command: string, action?: string];

interface Changes {
  readonly what: 'subscription' | 'rule' | 'silence';
  readonly all: (receiver: Receiver) => Promise<readonly { readonly id: string }[]>;
  readonly create: Order;
  readonly edit?: Order;
  readonly end: Order;
  readonly others?: Readonly<Record<string, Order>>;
}

/**
 * Returns the operations that change something. Each runs the command that people use, with the same limits, checks and
 * audit records.
 */
export function changesOf(
  { ask, commands }: ApiPorts,
  { what, all, create, edit, end, others = {} }: Changes,
): ApiOperation[] {
  const answer = z.object({
    title: z.string(),
    summary: z.string().optional(),
    /** The items that are new or have changed. */
    data: z.array(apiRecords[what]),
  });
  const operation = (
    [name, action]: Order,
    { verb, ...rest }: Pick<ApiOperation, 'method' | 'path'> & { readonly verb: string },
  ): ApiOperation[] => {
    const command = commands.find((each) => each.name === name);
    if (command === undefined) return [];
    const named = rest.path.includes('{id}');
    return [
      {
        ...rest,
        id: `${verb}${what[0]?.toUpperCase()}${what.slice(1)}`,
        summary: `${verb[0]?.toUpperCase()}${verb.slice(1)} a ${what}, as the command "${[name, action].filter(Boolean).join(' ')}" does`,
        scope: 'manage',
        query: z.object({}),
        ...(verb === 'create' || verb === 'edit' ? { body: bodyOf(command, action) } : {}),
        answer,
        async run({ caller, id, body }) {
          const before = await all(caller.receiver);
          if (named && !before.some((each) => each.id === id)) return undefined;
          const input = { ...typed(body), ...(action !== undefined && { action }), ...(named && { id }) };
          const { later, ...first } = await ask({ name, input }, caller);
          // The preview of an answer may come later; it is not part of the response.
          later?.catch(() => undefined);
          const refused = refusalIn(first);
          if (refused !== undefined) throw new UserError(refused);
          const known = new Set(before.map((each) => JSON.stringify(each)));
          const data = (await all(caller.receiver)).filter((each) => !known.has(JSON.stringify(each)));
          const { title, summary } = renderJson(first);
          return { title, ...(summary !== undefined && { summary }), data };
        },
      },
    ];
  };
  const one = `/${what}s/{id}`;
  return [
    ...operation(create, { method: 'post', path: `/${what}s`, verb: 'create' }),
    ...(edit === undefined ? [] : operation(edit, { method: 'patch', path: one, verb: 'edit' })),
    ...operation(end, { method: 'delete', path: one, verb: 'end' }),
    ...Object.entries(others).flatMap(([verb, order]) =>
      operation(order, { method: 'post', path: `${one}/${verb}`, verb }),
    ),
  ];
}

/** Returns the schema of the command's input, without what the path already says. */
function bodyOf(command: Command, action: string | undefined): JsonObjectSchema {
  const {
    properties = {},
    required,
    ...schema
  } = inputOf(command) as JsonObjectSchema & {
    readonly properties?: Readonly<Record<string, unknown>>;
    readonly required?: readonly string[];
  };
  const { action: _, id: __, preview: ___, ...rest } = properties;
  const taken = action === undefined ? undefined : command.actions?.[action];
  const may = taken === undefined ? undefined : [...(taken.needs ?? []), ...(taken.takes ?? [])];
  const kept = Object.entries(rest).filter(([key]) => may === undefined || may.includes(key));
  const needed = required?.filter((key) => kept.some(([each]) => each === key)) ?? [];
  return {
    ...schema,
    type: 'object',
    properties: Object.fromEntries(kept),
    ...(needed.length > 0 && { required: needed }),
  };
}
