import type { Receiver } from '../alert/subscription.ts';
import type { Caller } from './command.ts';

/** An option that is asked for, in the reader's language. */
interface AskedOption {
  readonly option: string;
  readonly label: string;
  /** It is never shown again. */
  readonly secret: boolean;
  readonly required: boolean;
  /** What it may be; absent: anything. */
  readonly choices?: readonly string[] | undefined;
  /** What it is if nothing is given. */
  readonly usual?: string | undefined;
  readonly example?: string | undefined;
}

/** A platform that can be connected, and how far that has come, in the reader's language. */
export interface ConnectingState {
  readonly name: string;
  readonly title: string;
  /** Where its token comes from: the environment or a file, or what an operator gave here. Null: it is not connected. */
  readonly source: 'configuration' | 'here' | null;
  readonly steps: readonly string[];
  readonly asks: readonly AskedOption[];
  /** How the bot comes to a place. Absent: the address is typed. */
  readonly joining?: string | undefined;
  readonly addressExample: string;
  readonly bot?: { readonly name: string; readonly link: string } | undefined;
  readonly places: readonly { readonly name: string; readonly address: Receiver['address'] }[];
  /** Of each place where the bot is and may not post: the remedy. */
  readonly barred: readonly string[];
  /** Why it does not work, with the remedy. */
  readonly problem?: string | undefined;
}

/** A place: its address as the platform has it, or as a person types it. */
export type NamedPlace = Receiver['address'] | string;

/** Connects platforms while the bot runs. Every method is for operators. Throws UserError with the remedy. */
export interface Connecting {
  list(caller: Caller): Promise<readonly ConnectingState[]>;
  /** Asks the platform about what is given, keeps it and opens the platform. */
  connect(
    name: string,
    given: { readonly options: Readonly<Record<string, unknown>>; readonly caller: Caller },
  ): Promise<ConnectingState>;
  /** Closes the platform and forgets its token. What chats have there stays. */
  disconnect(name: string, caller: Caller): Promise<ConnectingState>;
  sample(name: string, given: { readonly place: NamedPlace; readonly caller: Caller }): Promise<void>;
  /** Subscribes a place to the standard alerts, as a bare `subscribe` there does. Returns what that answers. */
  begin(name: string, given: { readonly place: NamedPlace; readonly caller: Caller }): Promise<string>;
}
