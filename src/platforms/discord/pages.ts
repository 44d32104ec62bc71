import type { Card } from '../../card/card.ts';
import { renderDiscord } from './render.ts';

/** Of an answer longer than one message: which page is shown, and under which name the others are asked for. */
export interface Turning {
  readonly answer: string;
  readonly page: number;
}

export interface KeptAnswer {
  readonly card: Card<string>;
  /** User id: whoever else turns pages gets them for themselves. */
  readonly asker: string;
}

/** Answers that have more than one page, the latest of them: who turns a page sees the same answer. */
export interface Pages {
  keep(answer: string, kept: KeptAnswer): void;
  find(answer: string): KeptAnswer | undefined;
}

/** A card with a chart of a month weighs about 50 kB. */
const most = 200;

export function createPages(): Pages {
  const kept = new Map<string, KeptAnswer>();
  return {
    keep(answer, given) {
      if (renderDiscord(given.card).length === 1) return;
      kept.set(answer, given);
      const [oldest] = kept.keys();
      if (kept.size > most && oldest !== undefined) kept.delete(oldest);
    },
    find: (answer) => kept.get(answer),
  };
}

const pagePrefix = 'p:';
export const pageId = ({ answer, page }: Turning): string => `${pagePrefix}${answer}:${page}`;

/** What the button asks for; undefined where it is none of these. */
export function readPageId(customId: string): Turning | undefined {
  const [, answer, page] = /^p:(\d{17,20}):(\d{1,4})$/.exec(customId) ?? [];
  return answer === undefined ? undefined : { answer, page: Number(page) };
}
