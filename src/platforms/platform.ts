import type { z } from 'zod';
import { type Addresses, plainAddresses, type Receiver } from '../alert/subscription.ts';
import type { Reader } from '../language/say.ts';
import type { Text } from '../language/text.ts';
import type { AddressLimit, Limit } from '../runtime/pace.ts';
import type { Connection } from './notifier.ts';
import type { NotifierPorts, Ports } from './ports.ts';

/**
 * A chat platform or another channel that alerts are sent to; on most of them people also talk to the bot. It is the default
 * export of `platform.ts` in a folder that has the platform's name.
 */
export interface Platform<Options extends z.ZodType = z.ZodType> {
  readonly name: string;
  /** Environment variables that set options, by the option's path: `{ token: 'X_TOKEN', 'webhook.url': … }`. */
  readonly env?: Readonly<Record<string, string>>;
  /** Schema of the platform's options. The platform is in use if the configuration contains them. */
  readonly options: Options;
  readonly address: z.ZodType;
  /** Returns the address for logs, monitoring and answers: without the parts that are as secret as a password. Never throws. */
  shown(address: Receiver['address']): Receiver['address'];
  /** Returns the server or chat that an address is part of: limits count per server or chat. Absent: per address. */
  account?(address: Receiver['address']): string | number | undefined;
  /** Returns the room under which the bot stores the messages to an address; for platforms that do not store messages. */
  room?(address: Receiver['address']): string;
  readonly limits: PlatformLimits;
  /** The messages are read by programs, so the daily budget of interrupting posts does not apply. */
  readonly readByPrograms?: boolean;
  /** How commands are written on the platform, as `slash` of a Reader. Absent: as plain words. */
  readonly slash?: Reader['slash'];
  /** The bot may write the topic and the name of a place. */
  readonly labels?: true;
  /** Describes the platform's rich messages and the apps that cannot show them. Absent if the platform has none. */
  readonly rich?: Text;
  /** How people write an address in configuration files and in operators' commands. */
  readonly addressFormat: AddressFormat;
  /** How people on this platform are named, for example in the setting `operators`. Absent: they have no names of their own. */
  readonly person?: { readonly example: string; readonly pattern: RegExp };
  /** Nobody can type commands on this platform: an operator runs commands for its places. */
  readonly operatorOnly?: true;
  /** A place that belongs to the person who runs the bot. It is subscribed on the very first start. */
  readonly operatorPlace?: OperatorPlace;
  /** Returns the port on which the conversation listens on this machine, if any, so that the `check` command can test it. */
  listens?(options: z.output<Options>, http: Pick<Listening, 'host' | 'port'>): Listening | undefined;
  /**
   * Asks the platform, without changing anything, whether it accepts the token. Returns the problem and its remedy, or null.
   */
  problem?(options: z.output<Options>, now: () => number): Promise<Text | null>;
  /** How an operator connects the platform while the bot runs. Absent: only the configuration sets it up. */
  readonly connecting?: ConnectingGuide;
  /** The conversation opens before the bot has received any market data, and itself shows that the bot is not ready. */
  readonly opensBeforeData?: boolean;
  /**
   * Opens the sending half. It tries each post once and reports failures as DeliveryError; the pipeline decides on retries,
   * order, silences and pace.
   */
  notifier(options: z.output<Options>, ports: NotifierPorts): Connection;
  /** Loads the code of a conversation that opens before data. Called while the data service is starting. */
  preload?(): Promise<unknown>;
  /**
   * Starts the half that people talk to; absent if nobody can. The platform's libraries are loaded here. The console asks for
   * more than `Ports`: it states so itself, and is given it. @throws ConfigError
   */
  conversation?(options: z.output<Options>, ports: Ports): Promise<Conversation>;
}

export const definePlatform = <Options extends z.ZodType>(platform: Platform<Options>): Platform<Options> =>
  platform;

/** What platforms know about their addresses: the part that the store uses, and how addresses are shown. */
interface PlatformAddresses extends Addresses {
  /** Returns the receiver for logs and lists, without secrets. If the platform is not in use, the whole address is left out. */
  shown(receiver: Receiver): Receiver;
}

/** Collects what these platforms know about their addresses. A receiver of any other platform is its own account. */
export function addressesOf(
  platforms: readonly Pick<Platform, 'name' | 'account' | 'room' | 'shown'>[],
): PlatformAddresses {
  const platformByName = new Map(platforms.map((platform) => [platform.name, platform]));
  return {
    accountOf(receiver) {
      const account = platformByName.get(receiver.notifier)?.account?.(receiver.address);
      return account === undefined ? plainAddresses.accountOf(receiver) : `${receiver.notifier}:${account}`;
    },
    roomOf: ({ notifier, address }) => platformByName.get(notifier)?.room?.(address),
    shown: ({ notifier, address }) => ({
      notifier,
      address: platformByName.get(notifier)?.shown(address) ?? {},
    }),
  };
}

export interface PlatformLimits {
  readonly total?: Limit | readonly Limit[];
  readonly spread?: Limit;
  /** `appliesTo` is called with the receiver's key, or with the result of `paceKey`. */
  readonly perAddress?: readonly AddressLimit[];
  /**
   * Returns the key under which posts or edits to an address are paced: addresses with the same key share their limits.
   * Absent: each receiver has its own limits.
   */
  readonly paceKey?: (address: Receiver['address'], act: 'post' | 'edit') => string;
  /** Maximum number of concurrent sends, over all addresses. */
  readonly concurrency: number;
}

interface AddressFormat {
  readonly example: string;
  /** Returns the address that the text means; undefined if it is not an address of this platform. */
  read(text: string): Receiver['address'] | undefined;
  /** Writes an address that `read` reads. Needed where people sign in. */
  write?(address: Receiver['address']): string;
}

export interface Listening {
  /** A description of the port and the setting that chooses it: `the console’s port (TOCSIN_HTTP_PORT)`. */
  readonly description: string;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

interface OperatorPlace {
  readonly address: Receiver['address'];
  /** The person who reads there sits at this machine, so the machine's time zone is also the reader's. */
  readonly isLocal?: boolean;
}

/** What a person does to connect a platform, and what is asked for. */
interface ConnectingGuide {
  /** The platform's own name. */
  readonly title: Text;
  readonly steps: readonly Text[];
  /** The options that are asked for, in this order, each with its label. The schema says the rest. */
  readonly asks: Readonly<Record<string, Text>>;
  /** What `problem` says of a token that was set by the configuration; of one that was just given it is said otherwise. */
  readonly notAccepted?: Text;
  /** How the bot comes to a place that it then reports as one of its whereabouts. Absent: an address is typed. */
  readonly joining?: Text;
}

export interface Whereabouts {
  /** Who the bot is there, and the link by which a person adds it to a place. Absent before the platform has said so. */
  readonly bot?: { readonly name: string; readonly link: string } | undefined;
  /** Since when the platform does not answer, wall ms. Absent: it does. */
  readonly silentSince?: number | undefined;
  /** Places where it may post, the likeliest first. */
  readonly places: readonly { readonly name: string; readonly address: Receiver['address'] }[];
  /** Of each place where it is and may not post: what it lacks, with the remedy. */
  readonly barred?: readonly Text[] | undefined;
}

export interface Conversation {
  /** Absent: the platform does not tell a bot where it is. */
  whereabouts?(): Promise<Whereabouts>;
  /** The URL at which the conversation can be opened in a browser. */
  readonly url?: string | undefined;
  close(): Promise<void> | void;
}
