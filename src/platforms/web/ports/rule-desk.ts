import { z } from 'zod';
import { type Severity, severities } from '../../../alert/alert.ts';
import type { Slack, ValueRange } from '../../../alert/slack.ts';
import type { Card } from '../../../card/card.ts';
import type { Caller } from '../../../shell/command.ts';
import { maxLineLength } from '../../../shell/parse.ts';

/** A metric that an own alert can use, in the reader's language. */
export interface DeskMetric {
  /** The metric's name in commands: `funding.z`. */
  readonly name: string;
  readonly about: 'symbol' | 'market';
  readonly words: string;
  readonly description: string;
  /** As in a `Panel`. */
  readonly unit: string;
  readonly slack: Slack;
  /** The values that the metric can have; absent: any. */
  readonly range?: ValueRange | undefined;
}

/** An own alert of the caller's place. */
export interface DeskRule {
  readonly id: string;
  /** The alert's name, or its condition in plain words if it has no name. */
  readonly name: string;
  readonly condition: string;
  readonly markets: string;
  /** The alert's state in words: `on`, `paused` … */
  readonly state: string;
  readonly paused: boolean;
  readonly firing: number;
  /**
   * The condition as metric and level, for the form that builds alerts; absent unless it compares one metric with one level.
   * `crosses`: it asks when the metric crosses the level.
   */
  readonly simple?:
    | {
        readonly metric: string;
        readonly above?: number;
        readonly below?: number;
        readonly crosses?: boolean;
      }
    | undefined;
  /** When the alert ends, as a user types it: a level or a condition. Absent: the default of its metrics. */
  readonly clear?: string | undefined;
  readonly symbols: readonly string[];
  /** How long the condition must hold before the alert fires, as a user types it: `15m`; `0m`: it fires at once. */
  readonly hold: string;
  readonly severity: Severity;
  /** The configuration file that defines the alert, if one does; only that file can change it. */
  readonly file?: string | undefined;
}

/** A preset selection of alerts, and how many posts it would have sent. */
export interface DeskPreset {
  /** The preset's name in commands. */
  readonly name: string;
  readonly words: string;
  readonly minSeverity: Severity;
  readonly kinds: readonly string[];
  /** Posts per day over all markets; absent until they have been counted. */
  readonly perDay?: number | undefined;
}

export interface Desk {
  /** The metrics that are numbers. */
  readonly metrics: readonly DeskMetric[];
  /** Symbols, the largest volume first. */
  readonly markets: readonly string[];
  readonly rules: readonly DeskRule[];
  readonly presets: readonly DeskPreset[];
  /** Number of market days over which posts were counted; absent until they have been counted. */
  readonly days?: number | undefined;
}

/** A number, or one written in digits as in an address: of anything else, such as null, no number is made. */
const number = z.union([z.number(), z.string().trim().min(1).max(40).pipe(z.coerce.number())]);

/** A text of any length that a command takes: the desk says what is wrong with it. */
const text = z.string().trim().max(maxLineLength);

/** The inputs of the command `alert create`. */
export const draftRequest = z.object({
  metric: z.string().max(60).optional(),
  above: number.optional(),
  below: number.optional(),
  when: text.min(1).optional(),
  /** A level or a condition; `none`: the default of the rule's metrics. */
  clear: text.min(1).optional(),
  symbols: text.optional(),
  for: z
    .string()
    .regex(/^\d{1,6}[smhd]$/)
    .optional(),
  severity: z.enum(severities).optional(),
  /** The id of the rule to change; absent: the rule is new. */
  id: z.string().max(40).optional(),
  /** The metric's value to show in the example post: its value when the rule would last have fired; absent: the level. */
  value: number.optional(),
});
export type DraftRequest = z.output<typeof draftRequest>;

/**
 * An own alert that has not been saved, or what is wrong with it, in the reader's language. Its card is as it is, or as a page
 * gets it.
 */
export type Draft<Shown = Card<string>> = CompleteDraft<Shown> | { readonly problem: string };

export interface CompleteDraft<Shown = Card<string>> {
  /** The command that saves the alert. */
  readonly line: string;
  /** `Funding z-score above 2.5, on BTC.` */
  readonly sentence: string;
  /** When the alert ends, in words. */
  readonly clears: string;
  /** An example of the alert's post. */
  readonly card: Shown;
}

/** What a sentence asks to be alerted of, and how it was read; or why it cannot be read as one thing. */
export type ReadWish =
  | ({ readonly said: string } & Pick<DeskRule, 'condition' | 'simple' | 'symbols' | 'hold'>)
  | { readonly problem: string };

/** Provides own alerts and presets for a page, and saves the alerts that it builds. */
export interface RuleDesk {
  read(caller: Caller): Promise<Desk>;
  draft(request: DraftRequest, caller: Caller): Promise<Draft>;
  /** Reads a sentence such as `btc above 24000` as the command `alert` does. */
  understand(sentence: string, caller: Caller): Promise<ReadWish>;
  /**
   * Saves the alert. Returns what was done, and the line by which a person would do it in a chat.
   * @throws UserError
   */
  save(
    request: DraftRequest,
    caller: Caller,
  ): Promise<{ readonly line: string; readonly card: Card<string> }>;
  /** Returns the command's preview of what the alert would have sent. Waits until the preview is complete. */
  preview(request: DraftRequest, caller: Caller): Promise<Card<string>>;
}
