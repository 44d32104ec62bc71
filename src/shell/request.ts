import type { z } from 'zod';
import { didYouMean, quoted } from '../language/closest.ts';
import { UserError } from '../language/errors.ts';
import { join, lines, listOf, msg, type Text, typed } from '../language/text.ts';
import { type AttachedFile, imageOf, textOf } from './attached-file.ts';
import { bind } from './bind.ts';
import type { Command, CommandContext } from './command.ts';
import { canonicalize, type Field, fieldsOf } from './fields.ts';
import { answersOf, interpretLine, isQuestion } from './interpret-line.ts';
import { issueText } from './issue.ts';
import { ownThingKinds, readOwnThings } from './own-things.ts';
import { parseLine } from './parse.ts';
import { requireRight } from './rights.ts';
import { usage } from './usage.ts';
import { commandNamed, findCommand, type NamesContext } from './vocabulary.ts';

/**
 * What a person asks: a typed line, or a command with named inputs on platforms that have forms. A file that comes with the
 * request is the command's input that takes a file.
 */
export type CommandRequest =
  | string
  | { readonly line: string; readonly file?: AttachedFile }
  | {
      readonly name: string;
      readonly input: Readonly<Record<string, unknown>>;
      readonly file?: AttachedFile;
    };

/** Returns what was typed as the command's name, whether there is such a command or not. */
export function commandNameOf(request: CommandRequest): string {
  if (typeof request === 'object' && 'name' in request) return request.name;
  const line = typeof request === 'string' ? request : request.line;
  return line.trim().split(/\s/, 1)[0] ?? '';
}

type Asking = Omit<NamesContext, 'own'> & Pick<CommandContext, 'caller' | 'store' | 'now'>;

interface ReadRequest {
  readonly command: Command;
  readonly input: z.output<Command['input']>;
  /** The inputs as they were given, by key. */
  readonly raw: Readonly<Record<string, unknown>>;
}

/** Returns the command that is meant and its valid input. Throws UserError, so that no data is requested for invalid input. */
export async function readRequest(
  commands: readonly Command[],
  {
    request,
    asking,
  }: {
    readonly request: CommandRequest;
    readonly asking: Asking & Pick<CommandContext, 'signal'>;
  },
): Promise<ReadRequest> {
  const given: Exclude<CommandRequest, string> = typeof request === 'string' ? { line: request } : request;
  const line = 'line' in given ? parseLine(given.line) : { name: given.name, words: [] };
  const asked = 'line' in given ? interpretLine(line, asking) : given;
  const answers = () => answersOf(line, asking);
  const command = findCommand(asked.name, commands, answers);
  const context = await withOwnThings(command, asking);
  try {
    const inputs = 'words' in asked ? bind(asked.words, command, context) : asked.input;
    const raw =
      given.file === undefined
        ? inputs
        : { ...inputs, ...(await readAttachedInput(given.file, { ...asking, command })) };
    return { command, input: validate(command, raw, context), raw };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const meant = isQuestion(line) ? didYouMean(answers()) : undefined;
    const action = 'words' in asked ? asked.words[0]?.text : asked.input.action;
    const usageText = msg('Usage: {usage}', { usage: typed(usage(command, String(action))) });
    throw new UserError(meant ?? lines(error.remedy, usageText), {
      title: error.title,
      code: error.code,
      cause: error,
    });
  }
}

/** Reads values by their keys, as programs give them. Throws UserError. */
export async function readValues<Input extends z.ZodObject>(
  input: Input,
  { given, asking }: { readonly given: ReadRequest['raw']; readonly asking: Asking },
): Promise<z.output<Input>> {
  return validate({ input }, given, await withOwnThings({ input }, asking));
}

const withOwnThings = async (of: Pick<Command, 'input'>, asking: Asking): Promise<NamesContext> =>
  fieldsOf(of).some(({ names }) => names === 'ownKind')
    ? { ...asking, own: await readOwnThings(asking) }
    : asking;

/** Reads a line of this command, with or without the command's name, and returns its valid input. Throws UserError. */
export function readInput<Input extends z.ZodObject>(
  command: Command<Input>,
  line: string,
  context: Omit<NamesContext, 'commands'>,
): z.output<Input> {
  const commands: readonly Command[] = [command as Command];
  const hasCommandName = commandNamed(parseLine(line).name, commands) !== undefined;
  const asking = { ...context, commands };
  const { words } = interpretLine(parseLine(hasCommandName ? line : `${command.name} ${line}`), asking);
  const raw = bind(words, command, asking);
  return validate(command, raw, asking);
}

/** Returns the file as the input that takes a file or an image. Throws UserError. */
async function readAttachedInput(
  file: AttachedFile,
  { command, caller, signal }: { readonly command: Command } & Pick<CommandContext, 'caller' | 'signal'>,
): Promise<Readonly<Record<string, string>>> {
  // The file is not fetched if the caller may not use the command.
  requireRight(command, caller);
  const field = fieldsOf(command).find(({ as }) => as === 'file' || as === 'image');
  if (field === undefined) {
    throw new UserError(msg('"{command}" takes no file.', { command: command.name }));
  }
  return { [field.key]: await (field.as === 'image' ? imageOf : textOf)(file, signal) };
}

function validate<Input extends z.ZodObject>(
  { input }: { readonly input: Input },
  raw: ReadRequest['raw'],
  context: NamesContext,
): z.output<Input> {
  const fields = fieldsOf({ input });
  const unknownKey = Object.keys(raw).find((key) => fields.every((field) => field.key !== key));
  if (unknownKey !== undefined) {
    throw new UserError(msg('It takes {keys}.', { keys: listOf(fields.map(({ key }) => key)) }), {
      title: msg('There is no input {key}', { key: quoted(unknownKey) }),
    });
  }
  const canonicalInputs = fields.flatMap((field) => {
    if (!Object.hasOwn(raw, field.key)) return [];
    const value = raw[field.key];
    // Programs send what nobody can type: of null or a list a number would be made.
    if (typeof value === 'object') throw new UserError(msg('{key}: give one value.', { key: field.key }));
    if (value === '' && field.names !== 'zone')
      throw new UserError(msg('{key} is empty: leave it out, or give it a value.', { key: field.key }));
    return [[field.key, typeof value === 'string' ? canonicalize(field, value, context) : value]];
  });
  const parsed = input.safeParse(Object.fromEntries(canonicalInputs));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => {
    const key = issue.path.join('.');
    const field = fields.find((each) => each.key === issue.path[0]);
    return field !== undefined && !Object.hasOwn(raw, field.key)
      ? missingText(field)
      : msg('{key}: {problem}.', { key, problem: issueText(issue, field) });
  });
  throw new UserError(join(problems, '\n'));
}

function missingText({ key, names, as }: Field): Text {
  if (names !== undefined && ownThingKinds.some((thing) => thing === names))
    return msg('Which one? Add its {key}.', { key });
  if (as === 'file')
    return msg('The file is missing: send it with the command, or the command in answer to it.');
  return msg('{key} is missing.', { key });
}
