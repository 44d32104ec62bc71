import type { z } from 'zod';
import type { Change } from '../alert/alert.ts';
import type { PresetName } from '../alert/presets.ts';
import type { Rule } from '../alert/rule.ts';
import type { Receiver } from '../alert/subscription.ts';
import type { Answer, Card } from '../card/card.ts';
import type { DataClient } from '../contract/data-client.ts';
import type { Language } from '../language/languages.ts';
import type { ChartTheme } from '../language/preferences.ts';
import type { Text } from '../language/text.ts';
import type { Preview, PreviewWish } from '../preview/preview.ts';
import type { Records } from '../record/records.ts';
import type { ApiErrorReason } from '../runtime/errors.ts';
import type { CommandStore, Pause } from '../store/store.ts';
import type { CommandForm } from './form.ts';
import type { Word } from './parse.ts';
import type { Rights } from './rights.ts';

/** Who asks, and where an answer or a subscription goes. */
export interface Caller {
  readonly receiver: Receiver;
  /** A name for the record, never an authority. */
  readonly user: string;
  /** Who it is, as the platform proves it: `telegram:1234`. Absent where people are not told apart. */
  readonly person?: string;
  /** What the caller may do with this receiver. */
  readonly rights: Rights;
  /** What answers are said in: as the platform hints it, until `readerOf` has asked what was chosen. */
  readonly language: Language;
  /** IANA name; times are shown in it. */
  readonly timeZone: string;
  readonly theme?: ChartTheme;
  /** A role there by its mention or id, and whether it may be called on the caller's wish; absent where there are none. */
  readonly roleOf?: (named: string) => { readonly id: string; readonly callable: boolean } | undefined;
  /** As in a Reader. */
  readonly slash?: boolean | 'options';
  /** True where the answer is shown in another place than `receiver`: a channel set up from a private chat. */
  readonly answeredElsewhere?: boolean;
}

/** What a feed or a detector lacks. */
export interface Problem {
  /** For the operator, in English. */
  readonly message: string;
  /** Where an ApiError is behind it. */
  readonly reason?: ApiErrorReason;
}

/** Everything a person may want to know about the bot itself. Times are market ms, durations ms. */
export interface BotStatus {
  /** "simulated", "recorded", "live", or "hosted" where the service does not say. */
  readonly source: string;
  /** Where a live market's perpetuals are traded, as people read it. */
  readonly venue?: string;
  /** What the exchange tells of its liquidations, where the service says it (contract, /meta). */
  readonly liquidations?: string;
  readonly marketTime: number;
  readonly speed: number;
  readonly ready: boolean;
  /** The data service does not answer: since when (market ms), where it ever did. Absent while it answers. */
  readonly away?: { readonly since?: number };
  readonly feeds: readonly {
    readonly name: string;
    /** Absent before the first value. */
    readonly age?: number;
    readonly fresh: boolean;
    readonly problem?: Problem;
  }[];
  readonly budget: {
    readonly used: number;
    readonly limit: number;
    readonly reserved: number;
    readonly window: number;
  };
  /** `more`: at least so many wait; market ms. */
  readonly outbox: { readonly waiting: number; readonly more?: true; readonly oldest: number | null };
  readonly detectors: readonly {
    readonly name: string;
    readonly lastRun: number | null;
    readonly problem: Problem | null;
  }[];
  readonly uptime: number;
  /** Platforms that do not accept their token, and what they say: nothing is sent there. */
  readonly refused?: readonly { readonly platform: string; readonly reason: Text }[];
  /** Ms by which this machine's clock is ahead; absent where it is right. What is told is corrected. */
  readonly clockAhead?: number;
  /** Since when and by whom all sending is paused. */
  readonly paused?: Pause | null;
}

export interface CommandContext {
  readonly caller: Caller;
  /** Served from the budget's reserve for people's questions. */
  readonly data: DataClient;
  readonly store: CommandStore;
  /** Market time, ms. */
  readonly now: number;
  /** Tracked symbols. */
  readonly universe: readonly string[];
  /** Kinds of alerts one can subscribe to. */
  readonly kinds: readonly {
    readonly name: string;
    readonly description: Text;
    /** From which preset on it is included; absent where it belongs to none. */
    readonly preset?: PresetName;
    /** An alert of made values, as it may fire at market ms; absent where there is none to show. */
    readonly sample?: (now: number) => Change;
    /** Levels and times by which it judges, as configured; absent where it has none. */
    readonly threshold?: Text;
  }[];
  readonly commands: readonly Command[];
  /** Posts a day that may interrupt a place which has chosen no other number; null: any number. */
  readonly budget: number | null;
  /** What whoever chooses rich messages for this place should know; absent where its platform has none. */
  readonly rich?: Text | undefined;
  /** What came of the alerts that were posted. */
  readonly records: Pick<Records, 'scores'>;
  /**
   * What a subscription or an own rule would have told over the past days, at once. Use with
   * src/commands/kit/previewing.ts.
   */
  preview(what: PreviewWish | { readonly rule: Rule }): Promise<Preview>;
  status(): Promise<BotStatus>;
  /** Posts a card there as an alert would be posted. Throws UserError with what the platform lacks or refuses. */
  tryPost(receiver: Receiver, card: Card): Promise<void>;
  /** What was asked as a line to type, with these inputs instead, or without those undefined; for buttons. */
  again(inputs: Readonly<Record<string, string | undefined>>): string | undefined;
  readonly signal: AbortSignal;
  /**
   * The answer to a line asked for a place where nobody types. For an operator alone. Throws UserError
   * where it is no such place.
   */
  elsewhere(place: string, line: string): Promise<Answer>;
  /** The same as of now and with a patience of its own, for what completes an answer. */
  afresh(): Omit<CommandContext, 'again'>;
}

/** One question or order, on every platform. Usage, help, completion and validation come from `input`. */
export interface Command<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly description: Text;
  /** Its heading in `help`; absent: the market, or the operator. */
  readonly topic?: 'alerts' | 'past' | 'chat';
  /** What people call it otherwise, in English; lower case. Other languages have theirs in their catalogues. */
  readonly otherNames?: readonly string[];
  /** That it is what a market, or several, typed alone ask for. */
  readonly ofMarkets?: 'one' | 'several';
  /** Short forms of its own, as the words that are meant. */
  readonly shorthand?: (words: readonly Word[]) => readonly Word[];
  /** Keys in the order people type them without naming them. Each has a `.describe()`. */
  readonly input: Input;
  /** The right that it takes; absent: to ask. Of what takes `operate` no menu tells others. */
  readonly takes?: 'own' | 'manage' | 'operate';
  /** What those are told who have not the right to operate, where there is something else that they may do. */
  readonly refusal?: Text;
  /** True where its answer is for the asker alone although everyone may ask; so are those of what takes `manage`. */
  readonly personal?: boolean;
  /**
   * Where its input `action` decides which of the others matter: what each action does, and the inputs it needs and
   * takes besides. A platform with sub-commands offers each as one.
   */
  readonly actions?: Readonly<
    Record<
      string,
      {
        readonly description: Text;
        readonly needs?: readonly string[];
        readonly takes?: readonly string[];
        /** Asked so by a platform that has forms, of whoever may change things there. */
        readonly form?: CommandForm;
      }
    >
  >;
  /** Throws UserError with the remedy, or ApiError. */
  run(input: z.output<Input>, context: CommandContext): Promise<Answer>;
}

export const defineCommand = <Input extends z.ZodObject>(command: Command<Input>): Command<Input> => command;
