import { z } from 'zod';
import { type Receiver, receiverKey } from '../../alert/subscription.ts';
import { renderJson } from '../../card/render-json.ts';
import { UserError } from '../../language/errors.ts';
import type { JsonObjectSchema } from '../../runtime/mcp.ts';
import { createTurns } from '../../runtime/turns.ts';
import type { Command } from '../../shell/command.ts';
import { apiRecords } from '../api.ts';
import type { ApiOperation, ApiPorts } from './api-operations.ts';
import { inputOf, refusalIn, toTypedInputs } from './command-schema.ts';

/** The name of a command, and which of its actions is meant. */
type CommandAction = readonly [command: string, action?: string];

interface Changes {
  readonly what: 'subscription' | 'rule' | 'silence';
  readonly list: (receiver: Receiver) => Promise<readonly { readonly id: string }[]>;
  readonly create: CommandAction;
  readonly edit?: CommandAction;
  readonly end: CommandAction;
  readonly otherActions?: Readonly<Record<string, CommandAction>>;
}

/**
 * Returns the operations that change something. Each runs the command that people use, with the same limits, checks and
 * audit records.
 */
export function changesOf(
  { ask, commands }: ApiPorts,
  { what, list, create, edit, end, otherActions = {} }: Changes,
): ApiOperation[] {
  const answer = z.object({
    title: z.string(),
    summary: z.string().optional(),
    /** The items that are new or have changed; none if they could not be read again. */
    data: z.array(apiRecords[what]),
  });
  const inTurn = createTurns<string>();
  const operation = (
    [name, action]: CommandAction,
    { verb, ...rest }: Pick<ApiOperation, 'method' | 'path'> & { readonly verb: string },
  ): ApiOperation[] => {
    const command = commands.find((each) => each.name === name);
    if (command === undefined) return [];
    const takesId = rest.path.includes('{id}');
    return [
      {
        ...rest,
        id: `${verb}${what[0]?.toUpperCase()}${what.slice(1)}`,
        summary: `${verb[0]?.toUpperCase()}${verb.slice(1)} a ${what}, as the command "${[name, action].filter(Boolean).join(' ')}" does`,
        scope: 'manage',
        query: z.object({}),
        ...(verb === 'create' || verb === 'edit' ? { body: bodyOf(command, action) } : {}),
        answer,
        run: ({ caller, id, body }) =>
          // What a command has changed is found by comparing lists, so another call must not change them meanwhile.
          inTurn(receiverKey(caller.receiver), async () => {
            const before = await list(caller.receiver);
            if (takesId && !before.some((each) => each.id === id)) return undefined;
            const input = {
              ...toTypedInputs(body),
              ...(action !== undefined && { action }),
              ...(takesId && { id }),
            };
            const { later, ...first } = await ask({ name, input }, caller);
            // The preview of an answer may come later; it is not part of the response.
            later?.catch(() => undefined);
            const refusal = refusalIn(first);
            if (refusal !== undefined) throw new UserError(refusal);
            const unchanged = new Set(before.map((each) => JSON.stringify(each)));
            // The change is saved: that it cannot be read back must not answer that it has failed.
            const after = await list(caller.receiver).catch(() => []);
            const data = after.filter(
              (each) => (!takesId || each.id === id) && !unchanged.has(JSON.stringify(each)),
            );
            const { title, summary } = renderJson(first);
            return { title, ...(summary !== undefined && { summary }), data };
          }),
      },
    ];
  };
  const recordPath = `/${what}s/{id}`;
  return [
    ...operation(create, { method: 'post', path: `/${what}s`, verb: 'create' }),
    ...(edit === undefined ? [] : operation(edit, { method: 'patch', path: recordPath, verb: 'edit' })),
    ...operation(end, { method: 'delete', path: recordPath, verb: 'end' }),
    ...Object.entries(otherActions).flatMap(([verb, order]) =>
      operation(order, { method: 'post', path: `${recordPath}/${verb}`, verb }),
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
