import type { Card } from '../../card/card.ts';
import type { CardJson } from '../../card/render-json.ts';

/** One version of one message of the chat. The same id again rewrites it. */
export interface WebPost {
  readonly id: string;
  readonly room: string;
  readonly card: Card<string>;
  /** What a person typed, where the card answers it. */
  readonly line?: string;
  readonly edited: boolean;
  /** Id of the message this one takes further. */
  readonly replyTo?: string;
}

/** A post as it is kept and sent to the page. */
export interface WebMessage extends Omit<WebPost, 'card'> {
  /** When this version was published, wall ms. */
  readonly at: number;
  readonly card: CardJson;
}

/** A way to go on with a half-typed line. */
export interface PageCompletion {
  readonly label: string;
  /** The whole line once it is taken. */
  readonly line: string;
  readonly description: string;
}
