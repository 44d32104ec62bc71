import type { z } from 'zod';
import { type Addresses, plainAddresses, type Receiver } from '../alert/subscription.ts';
import type { Text } from '../language/text.ts';
import type { AddressLimit, Limit } from '../pace/pace.ts';
import type { Connection } from './notifier.ts';
import type { HttpSettings, NotifierPorts, Ports } from './ports.ts';

/** A place to send to, and mostly to talk: default export of `platform.ts` in a folder named as it is. */
export interface Platform<Options extends z.ZodType = z.ZodType> {
  readonly name: string;
  /** The environment's variable of an option, by the option's path: `{ token: 'X_TOKEN', 'webhook.url': … }`. */
  readonly env?: Readonly<Record<string, string>>;
  /** It is in use where the configuration has its options. */
  readonly options: Options;
  readonly address: z.ZodType;
  /** An address as logs, monitoring and answers name it: without what is as good as a password. Never throws. */
  shown(address: Receiver['address']): Receiver['address'];
  /** What an address is a part of, such as a whole server or chat: limits count it as one. Absent: the address itself. */
  account?(address: Receiver['address']): string | number | undefined;
  /** The room under which messages to an address are kept here, where the platform itself remembers none. */
  room?(address: Receiver['address']): string;
  readonly limits: PlatformLimits;
  /** Programs read it, whose attention need not be spared. */
  readonly machine?: boolean;
  /** Its places may choose rich messages: what these are, and which apps show nothing of them. Absent where it has none. */
  readonly rich?: Text;
  /** How an address is written where it is named by hand: in files, and by operators. */
  readonly written: WrittenAddress;
  /** Nobody types there: an operator runs commands for it. */
  readonly operated?: true;
  /** A place that is whoever's runs the bot: subscribed on the very first start. */
  readonly home?: Home;
  /** Where its conversation listens on this machine, if anywhere: a check tries it. */
  listens?(options: z.output<Options>, http: HttpSettings): Listening | undefined;
  /** Asks the platform, and changes nothing, whether it accepts the token: what is wrong, and the remedy; null: nothing is. */
  problem?(options: z.output<Options>, now: () => number): Promise<string | null>;
  /** Its conversation opens before the bot has what it needs, and shows by itself that it is not ready. */
  readonly opensFirst?: boolean;
  /** The sending half: tries once and says whose turn it is; retry, order, silence and pace are the pipeline's. */
  notifier(options: z.output<Options>, ports: NotifierPorts): Connection;
  /** The talking half, left out where nobody can talk. Its libraries are to be loaded here. @throws ConfigError */
  conversation?(options: z.output<Options>, ports: Ports): Promise<Conversation>;
}

export const definePlatform = <Options extends z.ZodType>(platform: Platform<Options>): Platform<Options> =>
  platform;

/** What platforms say of their addresses, beside what the store asks. */
export interface PlatformAddresses extends Addresses {
  /** As whoever reads logs and lists is shown it: without the address of a platform whose secrets nobody here knows. */
  shown(receiver: Receiver): Receiver;
}

/** What these platforms say of their addresses; another's stands for itself. */
export function addressesOf(
  platforms: readonly Pick<Platform, 'name' | 'account' | 'room' | 'shown'>[],
): PlatformAddresses {
  const by = new Map(platforms.map((platform) => [platform.name, platform]));
  return {
    accountOf(receiver) {
      const account = by.get(receiver.notifier)?.account?.(receiver.address);
      return account === undefined ? plainAddresses.accountOf(receiver) : `${receiver.notifier}:${account}`;
    },
    roomOf: ({ notifier, address }) => by.get(notifier)?.room?.(address),
    shown: ({ notifier, address }) => ({ notifier, address: by.get(notifier)?.shown(address) ?? {} }),
  };
}

export interface PlatformLimits {
  readonly total?: Limit | readonly Limit[];
  /** `only` is asked with the receiver's key, or what shares a pace. */
  readonly perAddress?: readonly AddressLimit[];
  /** What addresses share a pace and whether edits have one of their own; each receiver has its own where absent. */
  readonly sharedBy?: (address: Receiver['address'], act: 'post' | 'edit') => string;
  /** Sends under way at once, over all addresses. */
  readonly concurrency: number;
}

export interface WrittenAddress {
  readonly example: string;
  /** The address that is meant; undefined where it is none of this platform’s. */
  read(text: string): Receiver['address'] | undefined;
}

export interface Listening {
  /** In words, with the setting that chooses it: `the console’s port (TOCSIN_HTTP_PORT)`. */
  readonly what: string;
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
}

export interface Home {
  readonly address: Receiver['address'];
  /** Whoever reads there sits at this machine: its time zone is theirs. */
  readonly local?: boolean;
}

export interface Conversation {
  /** Where it is opened with a browser. */
  readonly url?: string;
  close(): Promise<void> | void;
}
