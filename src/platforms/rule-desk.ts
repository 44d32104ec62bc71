import type { Severity } from '../alert/alert.ts';
import type { Card } from '../card/card.ts';
import type { Caller } from '../shell/command.ts';

/** What an own alert can be about, in the reader's language. */
export interface DeskMetric {
  /** As in a command: `funding.z`. */
  readonly name: string;
  readonly about: 'symbol' | 'market';
  readonly words: string;
  readonly description: string;
  /** How far behind a level it must fall before it is over: so much, and this share of the level's size. */
  readonly slack: { readonly fixed: number; readonly share: number };
}

/** An own alert of the place that looks. */
export interface DeskRule {
  readonly id: string;
  /** Its name, or its condition in plain words. */
  readonly name: string;
  readonly condition: string;
  readonly markets: string;
  /** `on`, `paused`, … in words. */
  readonly state: string;
  readonly paused: boolean;
  /** How many of its alerts fire now. */
  readonly firing: number;
  /** Where it compares one number with one level: as a builder takes it. */
  readonly simple?: { readonly metric: string; readonly above?: number; readonly below?: number };
  /** When it is over, as it is typed: a level or a condition. Absent: as is usual for its metrics. */
  readonly clear?: string;
  readonly symbols: readonly string[];
  /** For how long it must have been true, as it is typed: `15m`; `0m`: it fires at once. */
  readonly hold: string;
  readonly severity: Severity;
  /** The file that has it, where one does: it is changed there alone. */
  readonly file?: string;
}

/** A ready-made choice, and what it would have sent. */
export interface DeskPreset {
  /** As in a command. */
  readonly name: string;
  readonly words: string;
  readonly minSeverity: Severity;
  readonly kinds: readonly string[];
  /** Over all markets, a day; absent until that is counted. */
  readonly perDay?: number;
}

export interface Desk {
  /** Those that are numbers. */
  readonly metrics: readonly DeskMetric[];
  /** The largest volume first. */
  readonly markets: readonly string[];
  readonly rules: readonly DeskRule[];
  readonly presets: readonly DeskPreset[];
  /** Market days over which posts were counted; absent until they are. */
  readonly days?: number;
}

/** As `alert create` takes it. */
export interface DraftAsked {
  readonly metric?: string | undefined;
  readonly above?: number | undefined;
  readonly below?: number | undefined;
  readonly when?: string | undefined;
  /** A level or a condition; `none`: as is usual for its metrics. */
  readonly clear?: string | undefined;
  readonly symbols?: string | undefined;
  readonly for?: string | undefined;
  readonly severity?: Severity | undefined;
  /** Of one that is changed; left out: it is new. */
  readonly id?: string | undefined;
  /** What the number was when it would have told last; left out: the level itself. */
  readonly value?: number | undefined;
}

/** An alert that nobody has made yet, or what is wrong with it, in the reader's language. */
export type Draft = WholeDraft | { readonly problem: string };

export interface WholeDraft {
  /** The command that makes it so. */
  readonly line: string;
  /** `Funding z-score above 2.5, on BTC.` */
  readonly sentence: string;
  /** When it is over. */
  readonly clears: string;
  /** Its post, as an example. */
  readonly card: Card<string>;
}

/** Own alerts and presets as a page shows them. Nothing changes by it. */
export interface RuleDesk {
  read(caller: Caller): Promise<Desk>;
  draft(asked: DraftAsked, caller: Caller): Promise<Draft>;
  /** What the command says that it would have told, once that is known. */
  preview(asked: DraftAsked, caller: Caller): Promise<Card<string>>;
}
