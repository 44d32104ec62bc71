import type { Receiver } from '../../../alert/subscription.ts';
import type { Caller } from '../../../shell/command.ts';

/** How the posts of a subscription are to look. Null takes a part away, and what is left out stays as it is. */
export interface GivenLook {
  readonly style?: 'normal' | 'minimal' | 'own' | undefined;
  readonly template?: string | undefined;
  /** `#RRGGBB`. */
  readonly color?: string | null | undefined;
  /** A text, and behind it the page that it leads to. */
  readonly footer?: string | null | undefined;
}

/** A subscription of a place, and how its posts look. */
export interface DestinationSubscription {
  readonly id: string;
  /** What it is about, in words. */
  readonly what: string;
  readonly style: 'normal' | 'minimal' | 'own';
  readonly template: string;
  readonly color: string;
  readonly footer: string;
}

/** A place that alerts go to, in the reader's language. */
export interface DestinationRow {
  /** By which a request names it. */
  readonly receiver: Receiver;
  /** Name of the place, without the secret parts of its address. */
  readonly name: string;
  readonly platform: string;
  readonly gets: readonly DestinationSubscription[];
  /** Market ms of the last post; null: none in the last week. */
  readonly last: number | null;
  /** Posts a day over the last week, market time. */
  readonly perDay: number;
  /** Posts that failed for good in the last week. */
  readonly failed: number;
  /** Market ms until which all alerts are muted there. */
  readonly mutedUntil?: number | undefined;
}

/** The places that alerts go to, for operators. Throws UserError with the remedy. */
export interface Destinations {
  list(caller: Caller): Promise<readonly DestinationRow[]>;
  /** Mutes all alerts of a place for a while, or ends what mutes them. Returns what that answers. */
  mute(receiver: Receiver, given: { readonly on: boolean; readonly caller: Caller }): Promise<string>;
  /** Changes how the posts of a subscription look. Returns what that answers. */
  restyle(
    receiver: Receiver,
    given: { readonly id: string; readonly look: GivenLook; readonly caller: Caller },
  ): Promise<string>;
  /** Posts a sample alert. */
  test(receiver: Receiver, caller: Caller): Promise<void>;
}
