import type { Receiver } from '../alert/subscription.ts';
import type { Card } from '../card/card.ts';

/** One post to one receiver: a card for one alert or for a group of them. */
export interface Notification {
  /** The same for every attempt at the same post, whatever has become of its alerts between two of them. */
  readonly id: string;
  /** The same while the alerts it shows are: with `id`, what tells an attempt again from a newer one. */
  readonly version: string;
  readonly card: Card<string>;
  /** It makes a sound. When it is sent is another matter: that is the pace's lane. */
  readonly loud: boolean;
  /** An earlier attempt at the same post may have arrived. */
  readonly doubt: boolean;
  /** Who is to be called by it: the id of a role, on platforms that have them. Never set on an edit. */
  readonly mention?: string;
  /** Reference of the post this one answers (an escalation), as `send` returned it. */
  readonly replyTo?: string;
  /** It edits a post or nothing: where that cannot be edited any more, no other takes its place. */
  readonly onlyEdit?: boolean;
}

export interface Connection {
  /**
   * Posts once and returns the platform's reference to the post, by which it is told from every other: the id of what answers it
   * follows from it. Throws DeliveryError.
   */
  send(
    notification: Notification,
    given: { readonly address: Receiver['address']; readonly signal: AbortSignal },
  ): Promise<string>;
  /**
   * Where a platform can tell what has arrived: the reference of a post that was begun; null: there is none; undefined: it
   * cannot be known this time, and a `send` in doubt finds it or posts it once. Throws DeliveryError.
   */
  find?(
    post: Pick<Notification, 'id' | 'replyTo'>,
    given: { readonly address: Receiver['address']; readonly signal: AbortSignal },
  ): Promise<string | null | undefined>;
  /**
   * Rewrites an earlier post and returns the reference to what lives on: its own, or another post's where the
   * platform took an answer to it instead. Absent where posts cannot be edited: a new one is sent instead.
   */
  edit?(
    reference: string,
    given: {
      readonly notification: Notification;
      readonly address: Receiver['address'];
      readonly signal: AbortSignal;
    },
  ): Promise<string>;
  /** Where an edit may be a message of its own: whether this one is, which done twice comes twice. */
  editPosts?(reference: string, notification: Notification): boolean;
  /** Where a post is found, as its platform's apps open it; undefined where that post has no address. */
  link?(reference: string, address: Receiver['address']): string | undefined;
  close?(): Promise<void>;
}
