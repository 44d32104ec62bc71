import type { PresetName } from '../../../alert/presets.ts';
import type { Caller } from '../../../shell/command.ts';

/** A browser's push subscription, as the page has got it, and the page's own origin if that has TLS. */
export interface PushPlace {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
  readonly site?: string;
}

/** Notifications in the visitor's own browser. Throws UserError with the remedy. */
export interface PushDesk {
  /** Returns the public key that a browser subscribes with; undefined if the bot sends to no browsers. */
  key(): Promise<string | undefined>;
  /** Sends the alerts of a preset to a browser, which gets a test post first, or changes which it gets. */
  begin(place: PushPlace, given: { readonly preset: PresetName; readonly caller: Caller }): Promise<void>;
  /** Ends all that goes to a browser. */
  end(place: PushPlace, caller: Caller): Promise<void>;
}
