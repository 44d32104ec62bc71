import type { Severity } from './alert.ts';
import type { Receiver } from './subscription.ts';

/** The kind of the alerts that users' own rules make. Their labels are `rule` (the rule's id) and usually `symbol`. */
export const ownRule = 'own-rule';

/** Returns the entry that selects the alerts of one rule in a list of kinds: `own-rule/abcd2345`. */
export const kindOfRule = (id: string): string => `${ownRule}/${id}`;

/** Returns the rule's name, or its condition if it has no name. */
export const ruleName = ({ name, condition }: Pick<Rule, 'name' | 'condition'>): string => name ?? condition;

/** The rule of an exchange's by which a position is liquidated. */
interface HeldTier {
  /** The exchange, as shown to people. */
  readonly venue: string;
  /** Maintenance margin, a share of the position's value. */
  readonly rate: number;
  /** What is taken off that, US dollars. */
  readonly deduction: number;
  /** The largest position it is for, in `unit`. Absent: any larger one. */
  readonly upTo?: number | undefined;
  readonly unit: 'USD' | 'COINS';
}

/** What someone holds: opened at `entry` with this leverage. `size`: in coins, if it was given. */
export interface HeldPosition {
  readonly side: 'long' | 'short';
  readonly entry: number;
  readonly leverage: number;
  readonly size?: number | undefined;
  /** The short name of the exchange that was named. Absent: the main one. */
  readonly venue?: string | undefined;
  /** Absent: the exchange's tiers are not known. */
  readonly tier?: HeldTier | undefined;
  /** An alert comes when funding has cost this percent of the margin. Absent: the usual percent. */
  readonly funding?: number | undefined;
}

/** A user's condition. When it becomes true, one receiver and no other gets an alert. Times are market ms. */
export interface Rule {
  readonly id: string;
  readonly receiver: Receiver;
  readonly name: string | null;
  /** A CEL expression over the metrics of src/rules: `funding.z > 2.5`. The rule fires when it becomes true. */
  readonly condition: string;
  /**
   * A CEL expression: the alert ends when it is true. The distance between the two levels keeps the alert from flapping.
   * Null: the alert ends when the condition would be false even with each level moved by its metric's usual slack, but
   * not out of the metric's range.
   */
  readonly clear: string | null;
  /** Symbols and groups, as in a subscription. They have no effect if the condition is about the whole market. */
  readonly symbols: readonly string[];
  /** How long the condition must have been true before the rule fires, ms; 0: it fires at once. */
  readonly hold: number;
  /** `once`: the rule ends with its first alert. */
  readonly mode: 'once' | 'always';
  /** From this time on the rule is ignored; null: it never expires. */
  readonly expiresAt: number | null;
  readonly severity: Severity;
  /** Whether the rule is kept but not evaluated. */
  readonly paused: boolean;
  readonly createdBy: string;
  readonly createdAt: number;
  /** The position whose liquidation it is about. Absent: it is about none. */
  readonly position?: HeldPosition;
  /** The file that defines this rule; only a change of the file changes it. Absent if no file defines it. */
  readonly file?: string;
}
