import type { WebMessage } from '../platforms/web/message.ts';
import { renderCard } from './card.ts';
import { html } from './dom.ts';
import { time } from './time.ts';
import { msg } from './words.ts';

/** Pixels between the upper edge of the list and a question whose answer is longer than the visible area. */
const aboveQuestion = 16;

/** How many messages the page holds; beyond that the oldest are removed. */
const maxMessages = 300;

export interface Timeline {
  /** Shows a message, or replaces it with its new version. */
  /** Shows a message. Returns whether it is a new one, and neither a version of one that is shown nor the same again. */
  put(message: WebMessage): boolean;
  /** Shows the typed line until the message of that id, or `fail`, replaces it. */
  putPending(id: string, line: string): void;
  fail(given: { readonly id: string; readonly line: string; readonly reason: string }): void;
  /** Tells the list that it is visible again: if the reader was at its end, it scrolls to the new end. */
  onShown(): void;
}

export function createTimeline({
  list,
  empty,
  scroll,
  newest,
  run,
}: {
  readonly list: HTMLElement;
  readonly empty: HTMLElement;
  readonly scroll: HTMLElement;
  readonly newest: HTMLButtonElement;
  readonly run: (command: string) => void;
}): Timeline {
  const items = new Map<string, HTMLElement>();
  /**
   * The versions that are shown. The same answer arrives as a response and as an event of the room, in either order,
   * and again after a lost connection.
   */
  const versions = new Map<
    string,
    { readonly json: string; readonly at: number; readonly edited: boolean }
  >();
  let isFollowing = true;
  /**
   * Id of the last question asked here. The list keeps the question in view, so that a long answer is read from its
   * top.
   */
  let questionId: string | undefined;
  let lastScrollTop = 0;

  const isAtEnd = () => scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 80;
  const scrollToEnd = () => {
    const question = questionId === undefined ? undefined : items.get(questionId);
    const begin = question?.getBoundingClientRect().top ?? Number.POSITIVE_INFINITY;
    const beginTop = scroll.scrollTop + begin - scroll.getBoundingClientRect().top - aboveQuestion;
    scroll.scrollTop = Math.min(beginTop, scroll.scrollHeight);
    if (isAtEnd()) newest.hidden = true;
  };
  scroll.addEventListener('scroll', () => {
    // The event of a scroll by this code may arrive after the list has grown again: only scrolling up is certainly the
    // reader's.
    if (questionId === undefined && (isAtEnd() || scroll.scrollTop < lastScrollTop)) isFollowing = isAtEnd();
    lastScrollTop = scroll.scrollTop;
    if (isAtEnd()) newest.hidden = true;
  });
  for (const eventName of ['wheel', 'touchmove', 'keydown', 'pointerdown'])
    scroll.addEventListener(eventName, () => {
      if (questionId !== undefined) isFollowing = isAtEnd();
      questionId = undefined;
    });
  newest.addEventListener('click', () => {
    [questionId, isFollowing] = [undefined, true];
    scrollToEnd();
  });
  // Messages arrive, charts are drawn late and phones are turned: a reader who is at the end, or at an answer, stays there.
  new ResizeObserver(() => isFollowing && scrollToEnd()).observe(list);

  const placeItem = (id: string, item: HTMLElement) => {
    const before = items.get(id);
    if (before === undefined) list.append(item);
    else before.replaceWith(item);
    items.set(id, item);
    item.id = `message-${id}`;
    empty.hidden = true;
    const [oldest] = items;
    if (items.size > maxMessages && oldest !== undefined) {
      oldest[1].remove();
      items.delete(oldest[0]);
      versions.delete(oldest[0]);
    }
    const isSeen = isFollowing && (questionId === undefined || questionId === id);
    if (!isSeen && before === undefined) newest.hidden = false;
  };

  return {
    onShown: () => isFollowing && scrollToEnd(),
    put(message) {
      const { id, line, card, at, edited, replyTo } = message;
      const json = JSON.stringify(message);
      const before = versions.get(id);
      // If two versions have the same millisecond, the edit is the later one.
      const stale =
        before !== undefined && (before.at > at || (before.at === at && before.edited && !edited));
      if (stale || before?.json === json) return false;
      const isUpdate = before !== undefined;
      versions.set(id, { json, at, edited });
      const item = html('div', { class: isUpdate ? 'message changed' : 'message' });
      if (line !== undefined) item.append(html('p', { class: 'line' }, line));
      const earlier = replyTo === undefined ? undefined : items.get(replyTo);
      if (replyTo !== undefined && earlier !== undefined) {
        const about = earlier.querySelector('h3')?.textContent ?? msg('an earlier message');
        item.append(
          html('a', { class: 'reply', href: `#${encodeURIComponent(`message-${replyTo}`)}` }, `↳ ${about}`),
        );
      }
      const stamp = html(
        'p',
        { class: 'stamp' },
        time(at, card.timeZone),
        edited ? ` · ${msg('edited')}` : '',
      );
      item.append(renderCard(card, run), stamp);
      placeItem(id, item);
      return !isUpdate;
    },
    putPending(id, line) {
      [questionId, isFollowing] = [id, true];
      const dots = html('p', { class: 'pending', role: 'status' }, msg('Asking…'));
      placeItem(id, html('div', { class: 'message' }, html('p', { class: 'line' }, line), dots));
    },
    fail({ id, line, reason }) {
      const item = html('div', { class: 'message' }, html('p', { class: 'line' }, line));
      item.append(html('p', { class: 'failed', role: 'alert' }, reason));
      placeItem(id, item);
    },
  };
}
