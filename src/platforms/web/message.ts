import type { Card } from '../../card/card.ts';
import type { CardJson } from '../../card/render-json.ts';

/** One version of one message of the chat. A post with the same id replaces it. */
export interface WebPost {
  readonly id: string;
  readonly room: string;
  readonly card: Card<string>;
  /** The line that a person typed, if the card answers it. */
  readonly line?: string;
  /** The line was not done: the card says why. */
  readonly refused?: true;
  readonly edited: boolean;
  /** Id of the message that this message replies to. */
  readonly replyTo?: string;
}

/** A post as it is stored and sent to the page. */
export interface WebMessage extends Omit<WebPost, 'card'> {
  /** When this version was published, wall ms. */
  readonly at: number;
  readonly card: CardJson;
}

/** A completion of a half-typed line. */
export interface PageCompletion {
  readonly label: string;
  /** The whole line after the completion is chosen. */
  readonly line: string;
  readonly description: string;
}
