import type { Logger } from 'pino';
import type { AddressMatch, Receiver } from '../alert/subscription.ts';
import type { Answer, Card } from '../card/card.ts';
import type { Draw } from '../card/picture.ts';
import type { HookAnswer, HookRequest } from '../hook/receive.ts';
import type { Reader } from '../language/say.ts';
import type { Text } from '../language/text.ts';
import type { Pace } from '../pace/pace.ts';
import type { Clock, WallClock } from '../runtime/clock.ts';
import type { Secret } from '../runtime/secret.ts';
import type { Tracer } from '../runtime/tracer.ts';
import type { Asking } from '../runtime/true-time.ts';
import type { BotStatus, Caller, Command, CommandContext } from '../shell/command.ts';
import type { Completion } from '../shell/complete.ts';
import type { Own } from '../shell/own.ts';
import type { CommandRequest } from '../shell/request.ts';
import type { AlertFeed } from './alert-feed.ts';
import type { ApiData, ApiKeys } from './api.ts';
import type { ReadAudit } from './audit-table.ts';
import type { Board } from './board.ts';
import type { ReadSeries } from './past-series.ts';
import type { ReadRecord } from './record-table.ts';
import type { RuleDesk } from './rule-desk.ts';

/** What both halves of a platform are given. Each platform has its own; `pace` and `lost` are what its halves share. */
export interface NotifierPorts {
  readonly pace: Pace;
  /** A place cannot be reached any more, for good or for now: someone may be told why, elsewhere. */
  lost(loss: Loss): void;
  /** The platform does not accept the token: nothing is sent or heard there until a restart. */
  refused(reason: Text): void;
  readonly image: Draw;
  readonly messages: MessageStore;
  /** Small facts that the platform’s conversation has remembered, perhaps in another process. */
  recall(name: string): Promise<string | undefined>;
  readonly terminal: Terminal;
  readonly resolve: Resolve;
  readonly wall: WallClock;
  /** By which it is told how long something takes: the pace's. */
  readonly steady: Clock;
  /** The platform's clock is heard. */
  readonly asking: Asking;
  /** Market time, ms. */
  now(): number;
  readonly log: Logger;
  readonly tracer: Pick<Tracer, 'traceparent'>;
}

/** What a conversation is given besides: the bot it is with. */
export interface Ports extends NotifierPorts {
  readonly commands: readonly Command[];
  readonly kinds: CommandContext['kinds'];
  /** Tracked symbols. */
  universe(): readonly string[];
  /** Always an answer; what went wrong is said in it. */
  ask(request: CommandRequest, caller: Caller): Promise<Answer<string>>;
  /** Ways to go on with a half-typed line, best first. */
  complete(line: string, caller: Caller): Promise<readonly Completion[]>;
  /** What the caller's own place has, for completion. */
  own(caller: Caller): Promise<Own>;
  /** How the caller has chosen to be told, for what a platform says itself. */
  reader(caller: Pick<Caller, 'receiver' | 'person' | 'language' | 'timeZone' | 'slash'>): Promise<Reader>;
  readonly places: Places;
  /** Posts once, as alerts are posted: at their pace, by the notifier. @throws DeliveryError */
  post(
    receiver: Receiver,
    given: { readonly card: Card<string>; readonly signal: AbortSignal },
  ): Promise<void>;
  /** Tells of each place that the notifier has lost from now on. */
  onLost(listener: (loss: Loss) => void): void;
  /** Pictures will be asked for: the first who asks is not to wait longer than others. */
  warm(): void;
  readonly report: Report;
  readonly board: Board;
  readonly feed: AlertFeed;
  readonly keys: ApiKeys;
  readonly api: ApiData;
  readonly series: ReadSeries;
  readonly desk: RuleDesk;
  readonly record: ReadRecord;
  readonly audit: ReadAudit;
  readonly http: HttpSettings;
  /** Takes what somebody brings to a hook, by `POST /hooks/ID`. Rejects where it could not be kept. */
  hook(request: HookRequest): Promise<HookAnswer>;
}

export interface Loss {
  readonly address: Receiver['address'];
  readonly reason: Text;
  readonly forGood: boolean;
}

/** Names as the system resolves them. */
export type Resolve = (hostname: string) => Promise<readonly { address: string; family: number }[]>;

/** The terminal that the bot runs in. */
export interface Terminal {
  /** Width and colour at this moment: a terminal may be resized. */
  readonly columns: number;
  readonly color: boolean;
  /** IANA name. */
  readonly timeZone: string;
  /** Resolves when the text is on its way; rejects where there is no terminal any more. */
  write(text: string): Promise<void>;
  /** Where commands are typed; absent where nobody can (a service, a pipe). */
  readonly input?: NodeJS.ReadableStream;
}

/** Messages of platforms that have no memory of their own, by the room they are in. A body is JSON. */
export interface MessageStore {
  /** The same id again replaces the text and keeps its place. */
  put(given: { readonly id: string; readonly room: string; readonly body: string }): Promise<void>;
  /** The text of that id; undefined where there is none. */
  read(id: string, room: string): Promise<string | undefined>;
  /** The newest `n` of a room by their first `put`, oldest first. */
  recent(room: string, n: number): Promise<readonly { readonly body: string }[]>;
  /** Tells of each `put` from now on, once it is kept. */
  onPut(listener: (room: string, body: string) => void): void;
}

/** What the bot says of itself, to monitoring. */
export interface Report {
  status(): Promise<BotStatus>;
  ready(): Readiness;
  /** Newest first, as JSON can say it, without a secret. */
  alerts(): Promise<readonly object[]>;
  deliveries(): Promise<readonly object[]>;
  /** Prometheus text. */
  metrics(): Promise<string>;
  /** What this bot needs done by one process each, and whether any does it. */
  roles(): Promise<readonly { readonly role: string; readonly held: boolean }[]>;
}

/** Whether the bot watches, and the platforms that do not accept their token. */
export interface Readiness {
  readonly started: boolean;
  readonly refused: readonly string[];
}

/** Where the bot is reached by HTTP. */
export interface HttpSettings {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** Names, besides IP addresses and localhost, under which it may be opened (a proxy's). */
  readonly hosts: readonly string[];
  /** Asked of whoever comes; null: of nobody. */
  readonly token: Secret | null;
  /** Lets in whoever may look and ask, and change nothing; null: nobody but those with the first. */
  readonly viewerToken: Secret | null;
  /** Whether agents may ask over the Model Context Protocol. */
  readonly mcp: boolean;
}

/** What becomes of receivers when their platform changes them. */
export interface Places {
  /** It is no more, for good: its subscriptions, silences and whatever waits for it end. */
  end(receiver: Receiver, reason: Text): Promise<void>;
  /** It lives on under another address, with everything it has. */
  move(from: Receiver, to: Receiver): Promise<void>;
  /** Receivers whose address has a field with this value (the group of a topic, say). */
  find(of: AddressMatch): Promise<Receiver[]>;
  /** The bot may not post there: nothing is sent to them, and after a month they end, unless `wake`d before. */
  rest(receivers: readonly Receiver[], reason: Text): Promise<void>;
  /** Those that rest. */
  resting(of: AddressMatch): Promise<Receiver[]>;
  wake(receivers: readonly Receiver[]): Promise<void>;
  /** Small facts a platform keeps over restarts: a hash of registered commands, an update offset. */
  recall(name: string): Promise<string | undefined>;
  remember(name: string, value: string): Promise<void>;
}
