import type { Card } from '../../card/card.ts';
import { RecentMap } from '../../runtime/recent-map.ts';
import { renderDiscord } from './render.ts';
import type { CommandIds } from './text.ts';

/** A page of an answer that is longer than one message: the answer's id and the page's index, from 0. */
export interface AnswerPage {
  readonly answer: string;
  readonly page: number;
}

interface KeptAnswer {
  readonly card: Card<string>;
  /** Id of the user who asked. If another user turns the page, only that user sees the other page. */
  readonly asker: string;
  /** As on the first page: other ids would break the text into other pages. */
  readonly ids: CommandIds;
}

/** Keeps the latest answers that have more than one page, so that all pages come from the same answer. */
export interface Pages {
  keep(answer: string, kept: KeptAnswer): void;
  find(answer: string): KeptAnswer | undefined;
}

/** Maximum number of answers kept. A card with a chart of a month takes about 50 kB. */
const maxAnswers = 200;

export function createPages(): Pages {
  const answerById = new RecentMap<string, KeptAnswer>(maxAnswers);
  return {
    keep(answer, given) {
      if (renderDiscord(given.card, given).length > 1) answerById.set(answer, given);
    },
    find: (answer) => answerById.get(answer),
  };
}

const pagePrefix = 'p:';
export const pageId = ({ answer, page }: AnswerPage): string => `${pagePrefix}${answer}:${page}`;

/** Reads the page that a button leads to from its id; undefined if it is not such a button. */
export function readPageId(customId: string): AnswerPage | undefined {
  const [, answer, page] = /^p:(\d{17,20}):(\d{1,4})$/.exec(customId) ?? [];
  return answer === undefined ? undefined : { answer, page: Number(page) };
}
