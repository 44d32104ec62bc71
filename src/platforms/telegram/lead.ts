import { callbackData } from '../../card/callback-data.ts';
import type { Card } from '../../card/card.ts';
import { type InlineButton, inRows } from '../../card/render-telegram.ts';
import type { Completion } from '../../command/complete.ts';
import { type Field, fieldsOf } from '../../command/fields.ts';
import type { Command } from '../../commands/command.ts';

/** A question about one input of a command, and the buttons that answer it. */
export interface Leading {
  readonly card: Card<string>;
  readonly keyboard: readonly (readonly InlineButton[])[];
}

/** More buttons would not fit a phone; what is not among them can be typed. */
const offered = 8;
/** One digit says which input is asked for. */
const mostSteps = 10;

/** Four hundred time zones fit no keyboard. */
const offers = (field: Field): boolean =>
  field.names !== 'zone' && (field.names !== undefined || field.choices.length + field.offers.length > 0);

/** Whether the command, typed alone, is better asked about than run: it changes settings, or cannot run without. */
export const needsLeading = (command: Command): boolean => {
  const fields = fieldsOf(command);
  return fields.some(offers) && (command.settings === true || fields.some(({ required }) => required));
};

/**
 * Asks for the first input from `step` on whose values can be offered. Undefined where none is left: then the line is
 * ready to run.
 */
export async function lead(
  command: Command,
  { step, line }: { readonly step: number; readonly line: string },
  complete: (line: string) => Promise<readonly Completion[]>,
): Promise<Leading | undefined> {
  const fields = fieldsOf(command);
  const index = fields.findIndex((field, at) => at >= step && at < mostSteps && offers(field));
  const field = fields[index];
  if (field === undefined) return undefined;
  const last = !fields.some((each, at) => at > index && at < mostSteps && offers(each));
  const press = (text: string, next: string, run = last): InlineButton[] => {
    const data = callbackData(
      run ? { act: 'replace', line: next } : { act: 'lead', step: index + 1, line: next },
    );
    return data === undefined ? [] : [{ text, callback_data: data }];
  };
  const stem = `${line} ${field.key}=`;
  const values = (await complete(stem))
    .filter((each) => each.line.startsWith(stem))
    .map((each) => each.line.slice(stem.length))
    .filter((value) => /^\S+$/.test(value))
    .slice(0, offered);
  if (values.length === 0 && field.required) return undefined;
  const ready = !fields.some((each, at) => at >= index && each.required);
  return {
    card: {
      title: line,
      summary: `${field.description}?\nChoose, or type the whole command.`,
    },
    keyboard: [
      ...inRows(values.flatMap((value) => press(value, `${line} ${value}`))),
      inRows([
        ...(ready && !last ? press(`Leave out ${field.key}`, line, false) : []),
        ...(ready ? press('That is all', line, true) : []),
      ]).flat(),
    ].filter((row) => row.length > 0),
  };
}
