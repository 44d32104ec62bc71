import type { Severity } from './alert.ts';
import type { Receiver } from './subscription.ts';

/** The kind of the alerts that people's own rules make. Their labels are `rule` (its id) and, mostly, `symbol`. */
export const ownRule = 'own-rule';

/** What stands for the alerts of one rule alone in a list of kinds: `own-rule/abcd2345`. */
export const kindOfRule = (id: string): string => `${ownRule}/${id}`;

/** What a rule is called: its name, or its condition. */
export const ruleName = ({ name, condition }: Pick<Rule, 'name' | 'condition'>): string => name ?? condition;

/** A condition someone wants to be told of, in one place and nowhere else. Times are market ms. */
export interface Rule {
  readonly id: string;
  readonly receiver: Receiver;
  readonly name: string | null;
  /** In CEL, over the metrics of src/rules: `funding.z > 2.5`. It fires when this becomes true. */
  readonly condition: string;
  /**
   * In CEL: it has ended when this is true. What lies between the two levels keeps it from flapping. Null: when the
   * condition would not hold even with its levels moved by what is usual for its metrics.
   */
  readonly clear: string | null;
  /** Symbols and groups, as in a subscription. Of no matter where the condition is about the whole market. */
  readonly symbols: readonly string[];
  /** How long it must have been true, ms; 0: told at once. */
  readonly hold: number;
  /** `once`: the rule ends with the first alert it made. */
  readonly mode: 'once' | 'always';
  /** From then on it is as if it were not there; null: never. */
  readonly expiresAt: number | null;
  readonly severity: Severity;
  /** Kept, and not looked at. */
  readonly paused: boolean;
  readonly createdBy: string;
  readonly createdAt: number;
  /** The file that has it, which alone changes it; absent: it is the place's own. */
  readonly file?: string;
}
