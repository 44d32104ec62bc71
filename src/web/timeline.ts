import type { Message } from '../platforms/web/message.ts';
import { renderCard } from './card.ts';
import { html } from './dom.ts';
import { time } from './time.ts';
import { msg } from './words.ts';

/** Messages a page holds; the oldest make room. */
const held = 300;

export interface Timeline {
  /** Shows a message, or its new version in the place it has. */
  put(message: Message): void;
  /** Shows what was typed until the message of that id, or `failed`, takes its place. */
  pend(id: string, line: string): void;
  fail(id: string, line: string, reason: string): void;
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
  let following = true;
  let top = 0;

  const toEnd = () => {
    scroll.scrollTop = scroll.scrollHeight;
    newest.hidden = true;
  };
  scroll.addEventListener('scroll', () => {
    const atEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 80;
    // The event of our own scrolling may come after the list has grown again: only a way up is a reader's.
    if (atEnd || scroll.scrollTop < top) following = atEnd;
    top = scroll.scrollTop;
    if (atEnd) newest.hidden = true;
  });
  newest.addEventListener('click', toEnd);
  // Messages come, charts draw late and phones turn: whoever reads the end stays there.
  new ResizeObserver(() => following && toEnd()).observe(list);

  const place = (id: string, item: HTMLElement) => {
    const before = items.get(id);
    if (before === undefined) list.append(item);
    else before.replaceWith(item);
    items.set(id, item);
    item.id = `message-${id}`;
    empty.hidden = true;
    const [oldest] = items;
    if (items.size > held && oldest !== undefined) {
      oldest[1].remove();
      items.delete(oldest[0]);
    }
    if (!following && before === undefined) newest.hidden = false;
  };

  return {
    put({ id, line, card, at, edited, replyTo }) {
      const known = items.has(id);
      const item = html('div', { class: known ? 'message changed' : 'message' });
      if (line !== undefined) item.append(html('p', { class: 'line' }, line));
      const earlier = replyTo === undefined ? undefined : items.get(replyTo);
      if (replyTo !== undefined && earlier !== undefined) {
        const about = earlier.querySelector('h3')?.textContent ?? msg('an earlier message');
        item.append(
          html('a', { class: 'reply', href: `#${encodeURIComponent(`message-${replyTo}`)}` }, `↳ ${about}`),
        );
      }
      const stamp = html('p', { class: 'stamp' }, time(at), edited ? ` · ${msg('edited')}` : '');
      item.append(renderCard(card, run), stamp);
      place(id, item);
    },
    pend(id, line) {
      following = true;
      const dots = html('p', { class: 'pending', role: 'status' }, msg('Asking…'));
      place(id, html('div', { class: 'message' }, html('p', { class: 'line' }, line), dots));
    },
    fail(id, line, reason) {
      const item = html('div', { class: 'message' }, html('p', { class: 'line' }, line));
      item.append(html('p', { class: 'failed', role: 'alert' }, reason));
      place(id, item);
    },
  };
}
