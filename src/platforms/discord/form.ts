import type {
  APILabelComponent,
  APIModalInteractionResponseCallbackData,
  ModalSubmitInteraction,
} from 'discord.js';
import { type Answer, changeBoth } from '../../card/card.ts';
import { unlessRefused } from '../../language/errors.ts';
import { type Reader, say } from '../../language/say.ts';
import type { Command } from '../../shell/command.ts';
import type { CommandForm, FormQuestion, RawInputs } from '../../shell/form.ts';
import { parseLine, writeLine } from '../../shell/parse.ts';
import type { CommandRequest } from '../../shell/request.ts';
import { bare } from './text.ts';

/** The form for an action of a command, and the values that are already filled in. */
interface OpenForm {
  readonly command: string;
  readonly action: string;
  readonly form: CommandForm;
  readonly filled: RawInputs;
}

/**
 * Limits of a modal: number of questions; characters of a title or label, and of a hint; number of choices; characters of a
 * choice, and of a typed answer. Discord allows answers of 4,000 characters: these have room for the longest list of markets,
 * and two of them fit the line of the button that opens the form again.
 */
const limits = { questions: 5, label: 45, hint: 100, choices: 25, choice: 100, typed: 1_800 } as const;

const formPrefix = 'f:';

function formOf(name: string, action: string, commands: readonly Command[]) {
  const command = commands.find((each) => each.name === name);
  return Object.hasOwn(command?.actions ?? {}, action) ? command?.actions?.[action]?.form : undefined;
}

/**
 * Returns a request's command name, and its inputs as text by key. In a line, a word without a key is the action, as in the
 * lines of the bot's own buttons. Returns undefined if the line cannot be parsed.
 */
function readRequest(
  request: CommandRequest,
): { readonly name: string; readonly inputs: RawInputs } | undefined {
  if (typeof request === 'object' && 'name' in request) {
    const { name, input } = request;
    return {
      name,
      inputs: Object.fromEntries(Object.entries(input).map(([key, value]) => [key, String(value)])),
    };
  }
  const line = unlessRefused(() => parseLine(typeof request === 'string' ? request : request.line));
  return (
    line && {
      name: line.name,
      inputs: Object.fromEntries(line.words.map(({ key = 'action', text }) => [key, text])),
    }
  );
}

/** Returns the form that a request asks for; undefined if the request is for something else. */
export function findForm(request: CommandRequest, commands: readonly Command[]): OpenForm | undefined {
  const { name = '', inputs = {} } = readRequest(request) ?? {};
  const { action = '', ...rest } = inputs;
  const form = formOf(name, action, commands);
  return form && { command: name, action, form, filled: form.toAnswers(rest) };
}

/** Renders the form as a modal (API docs, "Modal" and "Label"), in the reader's language. */
export function modalOf(
  { command, action, form, filled }: OpenForm,
  reader: Reader,
): APIModalInteractionResponseCallbackData {
  return {
    custom_id: `${formPrefix}${command} ${action}`,
    title: bare(say(form.title, reader), limits.label),
    components: form
      .questions(filled)
      .slice(0, limits.questions)
      .map((question) => ({
        type: 18,
        label: bare(say(question.label, reader), limits.label),
        ...(question.hint !== undefined && { description: bare(say(question.hint, reader), limits.hint) }),
        component: component(question, filled[question.key], reader),
      })),
  };
}

function component(
  { key, choices, example, required }: FormQuestion,
  value: string | undefined,
  reader: Reader,
): APILabelComponent['component'] {
  if (choices === undefined) {
    return {
      type: 4,
      custom_id: key,
      style: 1,
      max_length: limits.typed,
      required,
      ...(example !== undefined && { placeholder: bare(example, limits.hint) }),
      ...(value !== undefined && { value: bare(value, limits.typed) }),
    };
  }
  return {
    type: 3,
    custom_id: key,
    required,
    options: choices.slice(0, limits.choices).map(({ value: each, label, about }) => ({
      label: bare(say(label, reader), limits.choice) || each,
      value: each,
      ...(about !== undefined && { description: bare(say(about, reader), limits.choice) }),
      ...(each === value && { default: true }),
    })),
  };
}

/** Reads a submitted form: the request, and the button that opens the form again. Undefined if the form is not the bot's. */
export function readForm(
  interaction: Pick<ModalSubmitInteraction, 'customId' | 'fields'>,
  commands: readonly Command[],
): { readonly request: CommandRequest; readonly reopen: ReopenButton } | undefined {
  const [, name = '', action = ''] = /^f:(\S+) (\S+)$/.exec(interaction.customId) ?? [];
  const form = formOf(name, action, commands);
  if (form === undefined) return undefined;
  const filled = Object.fromEntries(
    [...interaction.fields.fields].flatMap(([key, field]) =>
      'value' in field && typeof field.value === 'string'
        ? [[key, field.value]]
        : 'values' in field
          ? [[key, String(field.values[0] ?? '')]]
          : [],
    ),
  );
  const input = { action, ...form.toInputs(filled) };
  // A line can contain only one kind of quotation mark, and no input here needs double ones, so they are replaced.
  const quotable = Object.entries(input).map(([key, text]) => [key, text.replaceAll(/["“”„]/g, "'")]);
  const command = writeLine(name, Object.fromEntries(quotable));
  return { request: { name, input }, reopen: { label: form.reopenLabel, command } };
}

/** A button that opens the form with everything that was filled in. */
export interface ReopenButton {
  readonly label: CommandForm['reopenLabel'];
  readonly command: string | undefined;
}

/** Adds a button to the answer that opens the form again. */
export function withReopenButton(
  answer: Answer<string>,
  { reopen: { label, command }, reader }: { readonly reopen: ReopenButton; readonly reader: Reader },
): Answer<string> {
  if (command === undefined) return answer;
  const button = { label: say(label, reader), command };
  return changeBoth(answer, (card) => ({ ...card, actions: [...(card.actions ?? []), button] }));
}
