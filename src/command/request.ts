import type { z } from 'zod';
import type { Command, CommandContext } from '../commands/command.ts';
import { UserError } from '../runtime/errors.ts';
import { bind } from './bind.ts';
import { quoted } from './closest.ts';
import { canonical, fieldsOf } from './fields.ts';
import { parseLine } from './parse.ts';
import { usage } from './usage.ts';
import { findCommand, type NamesContext } from './vocabulary.ts';

/** What a person asks: a typed line, or a command with named inputs where the platform has forms. */
export type CommandRequest =
  | string
  | { readonly name: string; readonly input: Readonly<Record<string, unknown>> };

export interface ReadRequest {
  readonly command: Command;
  readonly input: z.output<Command['input']>;
}

/** The command meant and its valid input. Throws UserError: nobody is asked before everything is valid. */
export function readRequest(
  commands: readonly Command[],
  request: CommandRequest,
  context: NamesContext & Pick<CommandContext, 'caller'>,
): ReadRequest {
  const asked = typeof request === 'string' ? parseLine(request) : request;
  const command = findCommand(asked.name, commands);
  if (command.settings === true && !context.caller.manages) {
    throw new UserError(
      `"${command.name}" changes the settings of this place: only those who manage it may do that.`,
    );
  }
  try {
    const raw = 'words' in asked ? bind(asked.words, command, context) : asked.input;
    return { command, input: validate(command, raw, context) };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(`${error.message}\nUsage: ${usage(command)}`, { cause: error });
  }
}

function validate(
  command: Command,
  raw: Readonly<Record<string, unknown>>,
  context: NamesContext,
): ReadRequest['input'] {
  const fields = fieldsOf(command);
  const stranger = Object.keys(raw).find((key) => fields.every((field) => field.key !== key));
  if (stranger !== undefined) throw new UserError(`${command.name} has no input ${quoted(stranger)}.`);
  const named = fields.flatMap((field) => {
    if (!Object.hasOwn(raw, field.key)) return [];
    const value = raw[field.key];
    return [[field.key, typeof value === 'string' ? canonical(field, value, context) : value]];
  });
  const parsed = command.input.safeParse(Object.fromEntries(named));
  if (parsed.success) return parsed.data;
  throw new UserError(
    parsed.error.issues
      .map(({ path, message }) => `${path.join('.') || command.name}: ${message}.`)
      .join('\n'),
  );
}
