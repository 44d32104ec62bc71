import type { z } from 'zod';
import type { Change } from '../alert/alert.ts';
import type { MarketKinds } from '../alert/market-kind.ts';
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
import type { CommandStore, Pause } from '../store/ports.ts';
import type { Connecting } from './connecting.ts';
import type { CommandForm } from './form.ts';
import type { Word } from './parse.ts';
import type { Rights } from './rights.ts';

/** Who gives a command, and the place that answers and subscriptions go to. */
export interface Caller {
  readonly receiver: Receiver;
  /** The caller's name for audits. Rights never depend on it. */
  readonly user: string;
  /** The person, as the platform proves it: `telegram:1234`. Absent on platforms that do not tell people apart. */
  readonly person?: string;
  /** What the caller may do with this receiver. */
  readonly rights: Rights;
  /** Language of answers: the platform's hint, until `readerOf` has read what was chosen. */
  readonly language: Language;
  /** Time zone in which times are shown, IANA name. */
  readonly timeZone: string;
  readonly theme?: ChartTheme;
  /** Finds a role by its mention or id, and whether the caller may have it mentioned. Absent if there are no roles. */
  readonly roleOf?: (named: string) => { readonly id: string; readonly mentionable: boolean } | undefined;
  /** As `slash` of a Reader. */
  readonly slash?: boolean | 'options' | undefined;
  /** The roles that the bot gives to those who want to be mentioned. Absent: there are none here. */
  readonly pings?: Pings;
  /** Changes how the bot looks here. Absent: it looks the same everywhere. */
  readonly profile?: Profile;
  /** Returns the person's own chat with the bot. Absent: the platform has no such chats, or this is it. */
  readonly direct?: () => Promise<Receiver>;
  /** True if the answer is shown in another place than `receiver`, e.g. when a channel is set up from a private chat. */
  readonly answeredElsewhere?: boolean;
  /** True if people read the answer who may not know what `receiver` has: its alerts are not drawn. */
  readonly readByOthers?: boolean;
}

/** How the bot looks in one place. Null: as everywhere. */
export interface Looks {
  readonly name?: string | null;
  /** A data URI. */
  readonly picture?: string | null;
}
export interface Profile {
  /** Changes what is given. Throws UserError with what is in the way. */
  change(looks: Looks): Promise<void>;
}

export interface Pings {
  /** Returns the name of a role that the caller may let the bot give to members. Throws UserError with the right that lacks. */
  offer(role: string): string;
  /** Gives the caller a role that is offered, or takes it away. Throws UserError. */
  toggle(role: string): Promise<{ readonly name: string; readonly given: boolean }>;
}

/** A problem of a feed or a detector. */
export interface Problem {
  /** A message for the operator, in English. */
  readonly message: string;
  /** Reason of the ApiError that caused the problem. Absent if it has another cause. */
  readonly reason?: ApiErrorReason;
}

/** The state of the bot itself. Times are market ms, durations ms. */
export interface BotStatus {
  /** "simulated", "recorded", "live", "hosted" if the service does not say, or "loading" until it can be asked. */
  readonly source: string;
  /** Title of the exchange on which a live market's perpetuals are traded. */
  readonly venue?: string | undefined;
  /** Which of its liquidations the exchange reports, if the service says so (contract, /meta). */
  readonly liquidations?: string;
  readonly marketTime: number;
  readonly speed: number;
  readonly ready: boolean;
  /** How much of the past the data service has loaded, 0 to 1. Absent: it does not say, or all of it. */
  readonly loaded?: number;
  /**
   * Present while no data arrives: since when (market ms), if any ever has. `pause`: because the service asked not to be
   * called, for `left` more ms of wall time. Absent: it does not respond.
   */
  readonly away?: {
    readonly since?: number;
    readonly pause?: {
      readonly reason: 'rate_limited' | 'not_ready' | 'budget_spent';
      readonly left: number;
    };
  };
  readonly feeds: readonly {
    readonly name: string;
    /** Age of the newest data. Absent before the first value. */
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
  /** Messages that wait. `more`: at least `waiting` of them. `oldest`: market ms. */
  readonly outbox: { readonly waiting: number; readonly more?: true; readonly oldest: number | null };
  readonly detectors: readonly {
    readonly name: string;
    readonly lastRun: number | null;
    readonly problem: Problem | null;
    /** Why it cannot fire although its last run succeeded; absent: it can. */
    readonly waits?: Text | undefined;
  }[];
  /**
   * When the newest test alert that arrived was made (market ms), and whether the next is late: then no alert arrives.
   */
  readonly canary?: { readonly last: number | null; readonly late: boolean };
  readonly uptime: number;
  /** Platforms that do not accept their token, with their reason. Nothing is sent there. */
  readonly refused?: readonly { readonly platform: string; readonly reason: Text }[];
  /** Ms by which this machine's clock is ahead. Absent if it is right. The times in this status are corrected. */
  readonly clockAhead?: number;
  /** Since when and by whom all sending is paused. Null: it is not paused. */
  readonly paused?: Pause | null;
}

/** The configuration, as far as commands read it: its names are those of the configuration, which is passed as it is. */
interface CommandSettings {
  readonly delivery: {
    /** How many posts a day may interrupt a place that has not chosen a number. Null: any number. */
    readonly budget: number | null;
  };
}

export interface CommandContext {
  readonly caller: Caller;
  /** Requests data from the part of the budget that is reserved for people's questions. */
  readonly data: DataClient;
  readonly store: CommandStore;
  /** Market time, ms. */
  readonly now: number;
  /** The followed markets, which have history and alerts; the largest volume first. */
  readonly universe: readonly string[];
  /** Every market that can be named and asked about, followed or not; the largest volume first. */
  readonly listed: readonly string[];
  readonly marketKinds: MarketKinds;
  /** Kinds of alerts that can be subscribed to. */
  readonly kinds: readonly {
    readonly name: string;
    readonly description: Text;
    /** The smallest preset that includes the kind. Absent if no preset does. */
    readonly preset?: PresetName;
    /** Returns a sample alert with made-up values, as it may fire at `now`, market ms. Absent if there is no sample. */
    readonly sample?: ((now: number) => Change) | undefined;
    /** Levels and times by which the detector judges, as configured. Absent if there are none. */
    readonly threshold?: Text | undefined;
    /** The smallest event worth one of its alerts, as configured. Absent if it has no size. */
    readonly smallest?: Text | undefined;
  }[];
  readonly commands: readonly Command[];
  readonly settings: CommandSettings;
  /** Whether programs read the place, so that every alert is posted, whatever `settings.delivery.budget` is. */
  readonly readByPrograms: boolean;
  /** What people should know before they choose rich messages here. Absent if the platform has none. */
  readonly rich?: Text | undefined;
  /** Whether the place has a topic and a name that the bot may write. */
  readonly labels?: boolean | undefined;
  /** The record: what the price did after the alerts that were posted. */
  readonly records: Pick<Records, 'scores' | 'callers'>;
  /**
   * Returns at once what a subscription or an own rule would have announced over the past days, or that this is pending. Use
   * with src/commands/kit/preview-card.ts.
   */
  preview(what: PreviewWish | { readonly rule: Rule }): Promise<Preview>;
  status(): Promise<BotStatus>;
  /** Returns where values come from. */
  source(): Text;
  /** Connects platforms while the bot runs. */
  readonly connecting: Connecting;
  /** Whether the place belongs to the person who runs the bot: what is typed there nobody else reads. */
  readonly isOperatorPlace: boolean;
  /** Posts a card to the receiver as an alert would be posted. Throws UserError with what the platform lacks or refuses. */
  tryPost(receiver: Receiver, card: Card): Promise<void>;
  /** Writes the current command as a line for a button, with these inputs replaced, or removed if undefined. */
  rewriteLine(inputs: Readonly<Record<string, string | undefined>>): string | undefined;
  readonly signal: AbortSignal;
  /** Resolves to the work's result if that comes within half a second, and to undefined otherwise. */
  soon<Result>(work: Promise<Result>): Promise<Result | undefined>;
  /**
   * Runs a line for a place where nobody types and returns the answer. Only for operators. Throws UserError if there is no
   * such place.
   */
  runElsewhere(place: string, line: string): Promise<Answer>;
  /** Returns a context with the current time and a new timeout, for the later part of an answer. */
  renewContext(): Omit<CommandContext, 'rewriteLine'>;
}

/** A command, the same on every platform. Usage, help, completion and validation are derived from `input`. */
export interface Command<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly description: Text;
  /** Heading of the command in `help`. Absent: that of the market or, if it takes `operate`, of the operator. */
  readonly topic?: 'alerts' | 'past' | 'chat';
  /** Other names of the command in English, lower case. Those in other languages are in the catalogues. */
  readonly otherNames?: readonly string[];
  /** English words of questions that it answers, besides its names. Several commands may have the same. */
  readonly questionWords?: readonly string[];
  /** The command runs if one market, or several, are typed without a command. */
  readonly ofMarkets?: 'one' | 'several';
  /** Replaces short forms of this command by the words that they stand for. */
  readonly shorthand?: (words: readonly Word[]) => readonly Word[];
  /**
   * Returns the words of this command that a line stands for which names no command; undefined if none. `certain`: the line may name
   * another, and is taken from it only if it can mean nothing else.
   */
  readonly unnamed?: (
    words: readonly Word[],
    line: { readonly universe: readonly string[]; readonly certain: boolean },
  ) => readonly Word[] | undefined;
  /** Inputs, in the order in which people type them without their keys. Each has a `.describe()`. */
  readonly input: Input;
  /** The right that the command needs. Absent: `ask`. Menus show a command only to people who have it. */
  readonly takes?: 'own' | 'manage' | 'operate';
  /** True if the command changes and posts nothing, although it needs more than `ask`. */
  readonly readOnly?: true;
  /** The refusal for people without the right, if the command does not change settings or there is something else they may do. */
  readonly refusal?: Text;
  /** True if the answer is for the asker only, although everyone may ask. Answers of commands that need `manage` always are. */
  readonly personal?: boolean;
  /** True if the answer contains what the place has, such as its alerts: no other place may be shown it. */
  readonly showsPlace?: boolean;
  /**
   * For a command whose input `action` decides which other inputs matter: what each action does, and the inputs that it
   * needs and those that it also takes. A platform with sub-commands offers each action as one.
   */
  readonly actions?: Readonly<
    Record<
      string,
      {
        readonly description: Text;
        readonly requiredInputs?: readonly string[];
        readonly optionalInputs?: readonly string[];
        /** The form in which platforms with forms ask for the inputs, if the caller may change the place. */
        readonly form?: CommandForm;
      }
    >
  >;
  /** Runs the command. Throws UserError with the remedy, or ApiError. */
  run(input: z.output<Input>, context: CommandContext): Promise<Answer>;
}

export const defineCommand = <Input extends z.ZodObject>(command: Command<Input>): Command<Input> => command;
