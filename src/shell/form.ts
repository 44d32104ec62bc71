import type { Text } from '../language/text.ts';

/** Inputs as they were typed or picked, not validated yet. */
export type RawInputs = Readonly<Record<string, string>>;

/**
 * A form for a command's action, on platforms that have forms; on others the inputs are typed. The command itself reports
 * what is wrong in the answers.
 */
export interface CommandForm {
  readonly title: Text;
  /** Label of the button that opens the form again with all answers filled in. */
  readonly reopenLabel: Text;
  /** Returns the questions, five at most. Answers that are filled in before the form is shown may change the choices. */
  questions(filled: RawInputs): readonly FormQuestion[];
  toInputs(filled: RawInputs): RawInputs;
  /** Converts the action's inputs to answers. */
  toAnswers(inputs: RawInputs): RawInputs;
}

export interface FormQuestion {
  readonly key: string;
  readonly label: Text;
  readonly hint?: Text;
  /** Choices to pick one of, 25 at most. Absent: the answer is typed. */
  readonly choices?: readonly { readonly value: string; readonly label: Text; readonly about?: Text }[];
  readonly example?: string;
  readonly required: boolean;
}
