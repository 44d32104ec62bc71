import type { Card } from '../../card/card.ts';
import { plainLine } from '../../card/plain.ts';
import { sayCard } from '../../card/say-card.ts';
import { labelTitle } from '../../language/format.ts';
import { languageName, say } from '../../language/say.ts';
import { msg, type Text, typed } from '../../language/text.ts';
import type { Caller, Command } from '../../shell/command.ts';
import { type Field, fieldsOf } from '../../shell/fields.ts';
import type { Ports } from '../ports.ts';
import { callbackData } from './callback-data.ts';
import { type InlineButton, inRows, maxLabel } from './content.ts';
import { cutText } from './text-pieces.ts';

/** A question about one input of a command, and the buttons that answer it. */
interface InputQuestion {
  readonly card: Card<string>;
  readonly keyboard: readonly (readonly InlineButton[])[];
}

/** Maximum number of values offered as buttons: more would not fit a phone. Other values can be typed. */
const maxValues = 8;
/** Only the first ten inputs can be asked for, because a button's data has one digit for the input. */
const maxSteps = 10;

/** The questions for inputs, by their key or by what they name. */
const questions: Readonly<Record<string, Text>> = {
  kind: msg('Which alerts?'),
  ownKind: msg('Which alerts?'),
  symbol: msg('Which markets?'),
  subscription: msg('Which subscription?'),
  silence: msg('Which silence?'),
  rule: msg('Which alert?'),
  board: msg('Which board?'),
  hook: msg('Which hook?'),
  metric: msg('Which metric?'),
  command: msg('Which command?'),
  for: msg('For how long?'),
  severity: msg('From which level on?'),
  delivery: msg('At once, or as a summary?'),
  day: msg('On which day?'),
  quiet: msg('Which quiet hours?'),
  preset: msg('How many alerts?'),
  preview: msg('Only show what you would have had?'),
  language: msg('In which language?'),
  paused: msg('Pause it?'),
  what: msg('Which answer?'),
};

const questionFor = ({ key, names, description }: Field): Text =>
  questions[names ?? key] ?? msg('{question}?', { question: description });

/** Whether leaving an input out means all: a silence of no kind or market is one of all. */
const meansAll = ({ names }: Field): boolean => names === 'ownKind' || names === 'symbol';

/** Inputs that belong to one value of another input. */
const belongsTo: Readonly<Record<string, string>> = { day: 'weekly', template: 'own' };
const fitsLine = ({ key }: Field, line: string): boolean =>
  belongsTo[key] === undefined || line.split(' ').includes(belongsTo[key]);

/** Returns the label of a button: levels and fixed choices in words, names as they are completed. */
const answerText = ({ key, choices }: Field, value: string, label: string): Text =>
  key === 'severity' ? labelTitle(`from-${value}`) : choices.includes(value) ? choiceText(key, value) : label;

const choiceText = (key: string, value: string): Text =>
  key === 'language' ? languageName(value) : labelTitle(value);

/** Whether a field's values can be offered as buttons: not four hundred time zones, and not the yes alone that confirms. */
const canOffer = (field: Field): boolean =>
  field.names !== 'zone' &&
  field.choices.length !== 1 &&
  (field.names !== undefined || field.choices.length + field.offers.length > 0);

/**
 * Whether the bot asks for a command's inputs, instead of running it, if the command was typed without any: it changes
 * settings or has required inputs. Inputs with a default value need no question.
 */
export const asksForInputs = (command: Command): boolean => {
  const fields = fieldsOf(command);
  // A file can only be sent, not chosen by a button.
  if (fields.some(({ as, required }) => as === 'file' && required)) return false;
  const hasQuestion = fields.some((field) => canOffer(field) && field.defaultValue === undefined);
  return hasQuestion && (command.takes === 'manage' || fields.some(({ required }) => required));
};

/** The line as far as it was typed, and the input from which on to ask. */
interface Asked extends Pick<Ports, 'complete' | 'reader'> {
  readonly step: number;
  readonly line: string;
  readonly caller: Caller;
}

/**
 * Returns the question for the first input, from `step` on, whose values can be offered. Undefined if none is left: then the
 * line is ready to run.
 */
export async function nextInputQuestion(
  command: Command,
  { step, line, caller, complete, reader }: Asked,
): Promise<InputQuestion | undefined> {
  const fields = fieldsOf(command);
  const canAsk = (field: Field, at: number) => at < maxSteps && canOffer(field) && fitsLine(field, line);
  const index = fields.findIndex((field, at) => at >= step && canAsk(field, at));
  const field = fields[index];
  if (field === undefined) return undefined;
  const last = !fields.some((each, at) => at > index && canAsk(each, at));
  const buttonFor = (text: string, next: string, run = last): InlineButton[] => {
    const data = callbackData(
      run ? { act: 'replace', line: next } : { act: 'lead', step: index + 1, line: next },
    );
    return data === undefined ? [] : [{ text, callback_data: data }];
  };
  const canRun = !fields.some((each, at) => at >= index && each.required);
  const linePrefix = `${line} ${field.key}=`;
  const values = (await complete(linePrefix, caller))
    .filter((each) => each.line.startsWith(linePrefix))
    .map((each) => ({ value: each.line.slice(linePrefix.length), label: each.label }))
    .filter(({ value }) => /^\S+$/.test(value) && !(meansAll(field) && canRun && value === 'all'))
    .slice(0, maxValues);
  const to = await reader(caller);
  const answers = values.flatMap(({ value, label }) =>
    buttonFor(cutText(plainLine(say(answerText(field, value, label), to)), maxLabel), `${line} ${value}`),
  );
  // Where all that can be named is all of them, there is none.
  if (answers.length === 0 || values.every(({ value }) => value === 'all'))
    return field.required
      ? undefined
      : nextInputQuestion(command, { step: index + 1, line, caller, complete, reader });
  return {
    card: sayCard({ title: typed(line), summary: questionFor(field) }, to),
    keyboard: [
      ...inRows(answers),
      inRows([
        ...(canRun && !last
          ? buttonFor(say(meansAll(field) ? msg('All') : msg('Standard'), to), line, false)
          : []),
        ...(canRun ? buttonFor(say(msg('Done'), to), line, true) : []),
      ]).flat(),
    ].filter((row) => row.length > 0),
  };
}
