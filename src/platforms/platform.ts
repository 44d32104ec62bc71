import type { Logger } from 'pino';
import type { Receiver } from '../alert/subscription.ts';
import type { Answer } from '../card/card.ts';
import type { Reader } from '../language/say.ts';
import type { Text } from '../language/text.ts';
import type { WallClock } from '../runtime/clock.ts';
import type { Caller, Command } from '../shell/command.ts';
import type { Completion } from '../shell/complete.ts';
import type { Own } from '../shell/own.ts';
import type { CommandRequest } from '../shell/request.ts';
import type { Translations } from '../shell/translations.ts';

/** What a place to talk needs of the bot. */
export interface PlatformPorts {
  readonly commands: readonly Command[];
  /** What the commands' menus say in other languages. */
  readonly translations?: Translations;
  /** Always an answer; what went wrong is said in it. */
  ask(request: CommandRequest, caller: Caller): Promise<Answer<string>>;
  /** Ways to go on with a half-typed line, best first. */
  complete(line: string, caller: Caller): Promise<readonly Completion[]>;
  /** What the caller's own place has, for completion. */
  own(caller: Caller): Promise<Own>;
  /** How the caller has chosen to be told, for what a platform says itself. */
  reader(caller: Pick<Caller, 'receiver' | 'person' | 'language' | 'timeZone' | 'slash'>): Promise<Reader>;
  /** Tracked symbols. */
  universe(): readonly string[];
  readonly places: Places;
  /** The platform does not accept the token: nothing is heard there until a restart. */
  refused?(reason: Text): void;
  readonly wall: WallClock;
  readonly log: Logger;
}

/** What becomes of receivers when their platform changes them. */
export interface Places {
  /** It is no more, for good: its subscriptions, silences and whatever waits for it end. */
  end(receiver: Receiver, reason: Text): Promise<void>;
  /** It lives on under another address, with everything it has. */
  move(from: Receiver, to: Receiver): Promise<void>;
  /** Receivers of a notifier whose address has this field with this value (`guildId`, say). */
  find(notifier: string, field: string, value: string): Promise<Receiver[]>;
  /** The bot may not post there: nothing is sent to them, and after a month they end, unless `wake`d before. */
  rest(receivers: readonly Receiver[], reason: Text): Promise<void>;
  /** Those of a notifier that rest, whose address has this field with this value. */
  resting(notifier: string, field: string, value: string): Promise<Receiver[]>;
  wake(receivers: readonly Receiver[]): Promise<void>;
  /** Small facts a platform keeps over restarts: a hash of registered commands, an update offset. */
  recall(name: string): Promise<string | undefined>;
  remember(name: string, value: string): Promise<void>;
}
