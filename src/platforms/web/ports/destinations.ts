import { z } from 'zod';
import type { Receiver } from '../../../alert/subscription.ts';
import type { Caller } from '../../../shell/command.ts';

/** A place, by its address. */
export const receiver = z.object({
  notifier: z.string().max(40),
  address: z.record(z.string().max(60), z.union([z.string().max(2_000), z.number()])),
});

/** How the posts of a subscription are to look. Null takes a part away, and what is left out stays as it is. */
export const givenLook = z.object({
  style: z.enum(['normal', 'minimal', 'own']).optional(),
  template: z.string().max(2_000).optional(),
  /** `#RRGGBB`. */
  color: z.string().max(20).nullable().optional(),
  /** A text, and behind it the page that it leads to. */
  footer: z.string().max(1_000).nullable().optional(),
});
export type GivenLook = z.output<typeof givenLook>;

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
  test(receiver: Receiver, caller: Caller): Promise<void>;
}
