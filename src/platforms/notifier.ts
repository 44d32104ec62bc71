import type { Receiver } from '../alert/subscription.ts';
import type { Card } from '../card/card.ts';
import { UserError } from '../language/errors.ts';
import { msg } from '../language/text.ts';
import type { Lease } from '../runtime/role.ts';
import type { Rights } from '../shell/rights.ts';

/** One post to one receiver: a card for one alert or for a group of them. */
export interface Notification {
  /** Identifies the post: the same for every attempt to send it, even if its alerts change between two attempts. */
  readonly id: string;
  /** Identifies the content: it changes with the alerts shown. With `id` it tells a repeated attempt from a newer one. */
  readonly version: string;
  readonly card: Card<string>;
  /** Whether the post makes a sound. It does not decide when the post is sent: the lane of the pace does. */
  readonly loud: boolean;
  /** An earlier attempt at the same post may have arrived. */
  readonly doubt: boolean;
  /** The role that the post mentions: its id, on platforms that have roles. Never set on an edit. */
  readonly mention?: string;
  /** Reference, as `send` returned it, of the post to which this post is a reply (an escalation). */
  readonly replyTo?: string | undefined;
  /** The notification may only edit a post: if the post can no longer be edited, no new post replaces it. */
  readonly onlyEdit?: boolean;
  /** The post is kept current: it is never replaced by a reply, and an edit returns null if the post was deleted. */
  readonly board?: boolean;
}

/** Where a post is sent to, and under which conditions. */
export interface Sending {
  readonly address: Receiver['address'];
  readonly signal: AbortSignal;
  /**
   * The lease under which it is sent; absent if none is needed. A platform that stores its posts in the bot's database stores
   * them under it.
   */
  readonly lease?: Lease;
}

export interface Connection {
  /**
   * Tries once to post and returns the platform's reference to the post. The reference must be unique: the ids of replies
   * to the post are derived from it. Throws DeliveryError.
   */
  send(notification: Notification, given: Sending): Promise<string>;
  /**
   * Looks for a post that an earlier attempt may have sent; absent if the platform has no way to do so. Returns the post's
   * reference; null if the post does not exist; undefined if this cannot be known this time, in which case `send` with
   * `doubt` finds the post or posts it once. Throws DeliveryError.
   */
  find?(
    post: Pick<Notification, 'id' | 'replyTo'>,
    given: { readonly address: Receiver['address']; readonly signal: AbortSignal },
  ): Promise<string | null | undefined>;
  /**
   * Rewrites an earlier post and returns the reference of the post to edit next time: the same post, or a reply to it if the
   * platform accepted a reply instead of the edit. Returns null if there is nothing left to edit and a new post is to
   * replace it, unless `onlyEdit`. Absent if posts cannot be edited: a new post is sent instead.
   */
  edit?(reference: string, given: { readonly notification: Notification } & Sending): Promise<string | null>;
  /**
   * Returns whether two references are those of one message; absent if an edit leaves the reference of its message as it is,
   * so that only equal ones are.
   */
  isSameMessage?(one: string, other: string): boolean;
  /**
   * Tells whether this edit sends a new message, which would arrive twice if the edit were done twice. Absent on platforms
   * where edits never send one.
   */
  editPosts?(reference: string, notification: Notification): boolean;
  /** Pins a post in its place, without a sound; a second time it changes nothing. Absent if the platform cannot. Throws DeliveryError. */
  pin?(reference: string, given: Sending): Promise<void>;
  /** Writes a text, cut to what fits, into the topic or the name of the place. Absent if the platform cannot. Throws DeliveryError. */
  label?(text: string, given: { readonly as: 'topic' | 'name' } & Sending): Promise<void>;
  /** Returns a link that opens the post in the platform's apps; undefined if the post has no link. */
  link?(reference: string, address: Receiver['address']): string | undefined;
  /** Absent: nobody signs in on the page by this platform. */
  readonly signIn?: SignIn | undefined;
  close?(): Promise<void>;
}

/** How people prove on the page who they are on a platform, and what they may do in its places. */
export interface SignIn {
  /** Returns where a browser proves it, which then comes back to `returnTo` with the state in its query. */
  start(given: SignInReturn & { readonly state: string }): Promise<string>;
  /** Reads what a browser came back with. Undefined if it proves nothing. Throws UserError if the platform does not answer. */
  finish(
    given: { readonly query: string; readonly fragment: string } & SignInReturn,
  ): Promise<Proven | undefined>;
  /** Reads what the platform's app gives to the page that it shows. Undefined if it proves nothing. */
  inApp?(given: string): Proven | undefined;
  /** Returns the address of a person's own chat with the bot; absent if only the platform knows it. */
  own?(person: string): Receiver['address'];
  /**
   * Asks the platform what a person may do at an address. Undefined: nothing, as far as it tells. Throws UserError if it does
   * not answer.
   */
  standing(person: string, address: Receiver['address']): Promise<MemberStanding | undefined>;
}

interface SignInReturn {
  /** Address of the page that the browser comes back to. */
  readonly returnTo: string;
}

/** What a sign-in throws while its platform does not answer. */
export const noAnswerError = (platform: string, cause?: unknown): UserError =>
  new UserError(msg('{platform} does not answer: try again in a moment.', { platform }), {
    code: 'unready',
    cause,
  });

/** Who a platform says somebody is. */
export interface Proven {
  /** As in Caller. */
  readonly person: string;
  /** As `user` of a Caller, by the platform's conversation. */
  readonly name: string;
  /** Identifies the proof, however it is written: the same one is not taken twice. */
  readonly proof: string;
}

/** What a person may do in a place of a platform. */
export interface MemberStanding {
  /** What the place is called there. */
  readonly name: string;
  readonly rights: Rights;
}
