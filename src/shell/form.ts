import type { Text } from '../language/text.ts';

/** Inputs as they are typed or picked, whether they are right or not. */
export type RawInputs = Readonly<Record<string, string>>;

/**
 * A command's action asked as a form, where a platform has forms; elsewhere its inputs are typed. What is wrong in it is
 * said by the command.
 */
export interface CommandForm {
  readonly title: Text;
  /** On what leads back to it with everything that was filled in. */
  readonly again: Text;
  /** At most five; what is filled in before it is shown may decide what can be picked. */
  questions(filled: RawInputs): readonly FormQuestion[];
  /** The action's inputs by the answers to the questions. */
  inputs(filled: RawInputs): RawInputs;
  /** The other way round. */
  filled(inputs: RawInputs): RawInputs;
}

export interface FormQuestion {
  readonly key: string;
  readonly label: Text;
  readonly hint?: Text;
  /** One of these is picked, at most 25 of them; absent: it is typed. */
  readonly choices?: readonly { readonly value: string; readonly label: Text; readonly about?: Text }[];
  /** What may be typed, as an example. */
  readonly example?: string;
  readonly required: boolean;
}
