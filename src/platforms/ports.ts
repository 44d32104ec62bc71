import type { Logger } from 'pino';
import type { AddressMatch, Receiver } from '../alert/subscription.ts';
import type { Answer, Card } from '../card/card.ts';
import type { Draw } from '../card/picture.ts';
import type { Reader } from '../language/say.ts';
import type { Text } from '../language/text.ts';
import type { Clock, WallClock } from '../runtime/clock.ts';
import type { Pace } from '../runtime/pace.ts';
import type { Lease } from '../runtime/role.ts';
import type { Caller, Command, CommandContext } from '../shell/command.ts';
import type { Completion } from '../shell/complete.ts';
import type { OwnThings } from '../shell/own-things.ts';
import type { CommandRequest } from '../shell/request.ts';

/** What both halves of a platform are given. Each platform has its own `pace` and `reportLoss`, shared by its two halves. */
export interface NotifierPorts {
  readonly pace: Pace;
  /** Reports that a place cannot be reached, for good or for now, so that someone can be told why in another place. */
  reportLoss(loss: Loss): void;
  /** Reports that the platform does not accept the token: nothing is sent or received there until it does. */
  reportTokenRefused(reason: Text): void;
  /** Reports that the platform accepts the token. Not needed if a refused token is not tried again before a restart. */
  reportTokenAccepted(): void;
  readonly image: Draw;
  /** Absent: the page has no public address. */
  readonly pictures?: PublicPictures | undefined;
  readonly messages: MessageStore;
  /** Reads a value that the platform’s conversation has stored with `remember`, perhaps in another process. */
  recall(name: string): Promise<string | undefined>;
  readonly terminal: Terminal;
  readonly resolve: Resolve;
  readonly wall: WallClock;
  /** A clock that never jumps, for measuring durations. The pace uses the same clock. */
  readonly steady: Clock;
  /** Market time, ms. */
  now(): number;
  readonly log: Logger;
}

/** What a conversation is given in addition: access to the bot's commands and data. */
export interface Ports extends NotifierPorts {
  /**
   * Whether this process alone talks on the platform, as far as it knows. While it is false, nothing is fetched, because what
   * is fetched could not be stored, and another process may do so. Interactions that Discord sends are answered all the same:
   * if the database is away from every process, people are told so.
   */
  holdsRole(): boolean;
  readonly commands: readonly Command[];
  readonly kinds: CommandContext['kinds'];
  /** Tracked symbols. */
  universe(): readonly string[];
  /** Runs a command and returns its answer. If something goes wrong, the answer says so. */
  ask(request: CommandRequest, caller: Caller): Promise<Answer<string>>;
  /** Returns completions of a partly typed line, best first. */
  complete(line: string, caller: Caller): Promise<readonly Completion[]>;
  /** Returns what the caller's own place has (subscriptions, silences …), for completion. */
  listOwn(caller: Caller): Promise<OwnThings>;
  /** Returns the caller's language and other reading preferences, for texts that the platform itself writes. */
  reader(
    caller: Pick<Caller, 'receiver' | 'person' | 'language' | 'timeZone' | 'slash' | 'answeredElsewhere'>,
  ): Promise<Reader>;
  readonly places: Places;
  /** The page's public address, without a slash at its end; absent: it has none. */
  readonly page?: string | undefined;
  /**
   * Tries once to post a card through the notifier, at the same pace as alerts. With an id, an earlier attempt may have
   * posted it, also before a restart: where the platform can tell, it is posted once. @throws DeliveryError
   */
  post(
    receiver: Receiver,
    given: {
      readonly card: Card<string>;
      readonly signal: AbortSignal;
      readonly id?: string | undefined;
    },
  ): Promise<void>;
  /** Calls the listener for each place that the notifier loses from now on. */
  onLoss(listener: (loss: Loss) => void): void;
  /** Prepares the drawing of pictures, so that the first request for a picture takes no longer than later ones. */
  warmUpDrawing(): void;
}

/** Pictures for platforms that fetch them by an address. */
export interface PublicPictures {
  /** Returns an address at which anyone can read the answer's picture for a while; undefined if it has none. */
  publish(answer: Answer<string>): string | undefined;
  /** Returns the PNG of a name in such an address; undefined if there is none any more. */
  read(name: string): Promise<Uint8Array | undefined>;
}

export interface Loss {
  readonly address: Receiver['address'];
  readonly reason: Text;
  readonly forGood: boolean;
}

/** Resolves a host name as the operating system does. */
export type Resolve = (hostname: string) => Promise<readonly { address: string; family: number }[]>;

/** The terminal that the bot runs in. */
export interface Terminal {
  /** Width and colour at this moment: a terminal may be resized. */
  readonly columns: number;
  readonly color: boolean;
  /** IANA name. */
  readonly timeZone: string;
  /** Resolves when the text has been handed to the terminal; rejects if the terminal no longer exists. */
  write(text: string): Promise<void>;
  /** The stream of typed commands; absent if nobody can type (a service, a pipe). */
  readonly input?: NodeJS.ReadableStream;
}

/** Stores the messages of platforms that do not store them themselves, by room. A body is JSON. */
export interface MessageStore {
  /** Whether other processes may store messages, too. */
  readonly shared: boolean;
  /**
   * Stores a message. If the id already exists, its body is replaced and its position in the room is kept.
   * @throws LostRole if another process has taken over the lease that is given
   */
  put(given: {
    readonly id: string;
    readonly room: string;
    readonly body: string;
    readonly lease?: Lease | undefined;
  }): Promise<void>;
  /** Returns the body of a message; undefined if it does not exist. */
  read(id: string, room: string): Promise<string | undefined>;
  /** Returns the newest `n` messages of a room, by the time of their first `put`, oldest first. */
  recent(room: string, n: number): Promise<readonly { readonly body: string }[]>;
  /** Calls the listener after each `put` from now on, once the message is stored. */
  onPut(listener: (room: string, body: string) => void): void;
}

/** Changes receivers when their platform reports a change, and keeps small values for platforms. */
export interface Places {
  /** Ends a receiver that no longer exists: its subscriptions, its silences and everything queued for it end. */
  end(receiver: Receiver, reason: Text): Promise<void>;
  /** Moves everything a receiver has to its new address. */
  move(from: Receiver, to: Receiver): Promise<void>;
  /** Returns the receivers whose address has a field with this value (all topics of a group, for example). */
  find(of: AddressMatch): Promise<Receiver[]>;
  /** Puts receivers on hold: the bot may not post there, so nothing is sent. After 30 days without `wake` they end. */
  suspend(receivers: readonly Receiver[], reason: Text): Promise<void>;
  suspended(of: AddressMatch): Promise<Receiver[]>;
  /** Resumes receivers that are on hold. */
  wake(receivers: readonly Receiver[]): Promise<void>;
  /** Reads a small value that a platform keeps across restarts: a hash of registered commands, an update offset. */
  recall(name: string): Promise<string | undefined>;
  remember(name: string, value: string): Promise<void>;
}
