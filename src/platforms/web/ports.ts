import type { Receiver } from '../../alert/subscription.ts';
import type { HookAnswer, HookRequest } from '../../hook/receive.ts';
import type { Secret } from '../../runtime/secret.ts';
import type { BotStatus } from '../../shell/command.ts';
import type { Connecting } from '../../shell/connecting.ts';
import type { Ports } from '../ports.ts';
import type { AlertFeed } from './ports/alert-feed.ts';
import type { ApiData, ApiKeys } from './ports/api.ts';
import type { Board } from './ports/board.ts';
import type { ReadDataChecks } from './ports/data-check-table.ts';
import type { Destinations } from './ports/destinations.ts';
import type { KeyDesk } from './ports/key-desk.ts';
import type { PageMembers } from './ports/members.ts';
import type { ReadSeries } from './ports/past-series.ts';
import type { PushDesk } from './ports/push-desk.ts';
import type { ReadRecord } from './ports/record-table.ts';
import type { RuleDesk } from './ports/rule-desk.ts';
import type { SettingsDesk } from './ports/settings-desk.ts';

/** What the console is given besides what every conversation is: what the page shows, and what programs ask for. */
export interface WebPorts extends Ports {
  readonly report: Report;
  readonly board: Board;
  readonly feed: AlertFeed;
  readonly keys: ApiKeys;
  readonly keyDesk: KeyDesk;
  readonly members: PageMembers;
  readonly api: ApiData;
  readonly series: ReadSeries;
  /** Returns the markets that a place follows. */
  watchlist(receiver: Receiver): Promise<readonly string[]>;
  readonly desk: RuleDesk;
  readonly record: ReadRecord;
  readonly dataChecks: ReadDataChecks;
  readonly connecting: Connecting;
  readonly settings: SettingsDesk;
  readonly destinations: Destinations;
  readonly push: PushDesk;
  readonly http: HttpSettings;
  /** Handles a request to a hook, `POST /hooks/ID`. Rejects if the message could not be stored. */
  receiveHook(request: HookRequest): Promise<HookAnswer>;
}

/** What the bot reports about itself to monitoring. */
export interface Report {
  status(): Promise<BotStatus>;
  ready(): Readiness;
  /** Returns the newest alerts first, as objects that can be written as JSON and contain no secrets; likewise `deliveries`. */
  alerts(): Promise<readonly object[]>;
  deliveries(): Promise<readonly object[]>;
  /** Returns the metrics in Prometheus text format. */
  metrics(): Promise<string>;
  /** Returns the roles that this bot needs, each for exactly one process, and whether a process holds each of them. */
  roles(): Promise<readonly { readonly role: string; readonly held: boolean }[]>;
}

/** Whether the bot has started to watch the market, and what keeps it from sending. */
export interface Readiness {
  readonly started: boolean;
  /** Why nothing can be stored, with the remedy; absent: it can. */
  readonly databaseProblem?: string;
  /** Platforms that do not accept their token. */
  readonly refusedPlatforms: readonly string[];
}

/** Where and by whom the bot can be reached by HTTP. */
export interface HttpSettings {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Host names, besides IP addresses and localhost, under which the bot may be opened (a proxy's name). */
  readonly hosts: readonly string[];
  /** The token that every visitor must give; null: no token is required. */
  readonly token: Secret | null;
  /** A second token, for visitors who may look and ask but change nothing; null: there is no such token. */
  readonly viewerToken: Secret | null;
  /** The page's public address, where people sign in by their platforms; null: nobody does. */
  readonly url: string | null;
  /** Whether agents may send questions over the Model Context Protocol. */
  readonly mcp: boolean;
}
