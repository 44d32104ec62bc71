import { signal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { WebMessage } from '../platforms/web/message.ts';
import { Card, Time } from './card.tsx';
import { msg } from './words.ts';

/** A line, its answer, or both. Without either a message or a failure, the answer is awaited. */
interface Item {
  readonly id: string;
  readonly line?: string | undefined;
  readonly message?: WebMessage;
  /** Why there is no answer. */
  readonly failure?: string;
  /** It replaces an earlier version. */
  readonly changed?: boolean;
}

/** How many messages the page holds; beyond that the oldest are removed. */
const maxItems = 300;
const items = signal<readonly Item[]>([]);
/** Whether there are messages below those that the reader sees. */
const isBehind = signal(false);
let isFollowing = true;
/**
 * Id of the last question asked here. The list keeps the question in view, so that a long answer is read from its
 * top.
 */
let questionId: string | undefined;

function place(item: Item): void {
  const known = items.peek();
  const isNew = known.every(({ id }) => id !== item.id);
  items.value = isNew
    ? [...known, item].slice(-maxItems)
    : known.map((each) => (each.id === item.id ? item : each));
  const isSeen = isFollowing && (questionId === undefined || questionId === item.id);
  if (isNew && !isSeen) isBehind.value = true;
}

/**
 * Shows a message. Returns whether it is a new one, and neither a version of one that is shown nor the same again: an answer
 * arrives as a response and as an event of the room, in either order, and again after a lost connection.
 */
export function put(message: WebMessage): boolean {
  const { id, line, at, edited } = message;
  const before = items.peek().find((each) => each.id === id)?.message;
  // If two versions have the same millisecond, the edit is the later one.
  const isStale = before !== undefined && (before.at > at || (before.at === at && before.edited && !edited));
  if (isStale || JSON.stringify(message) === JSON.stringify(before)) return false;
  place({ id, line, message, changed: before !== undefined });
  return before === undefined;
}

/** Shows the typed line until the message of that id, or `fail`, replaces it. */
export function putPending(id: string, line: string): void {
  [questionId, isFollowing] = [id, true];
  place({ id, line });
}

export const fail = (item: Required<Pick<Item, 'id' | 'line' | 'failure'>>): void => place(item);

type Run = (command: string) => void;

function Message({ item, run }: { readonly item: Item; readonly run: Run }) {
  // What has not changed is not compared again when another message arrives.
  return useMemo(() => {
    const { id, line, message, failure, changed } = item;
    return (
      <div id={`message-${id}`} class={changed ? 'message changed' : 'message'}>
        {line !== undefined && <p class="line">{line}</p>}
        {message !== undefined ? (
          <>
            <Reply to={message.replyTo} />
            <Card card={message.card} run={run} />
            <p class="stamp">
              <Time at={message.at} zone={message.card.timeZone} />
              {message.edited && ` · ${msg('edited')}`}
            </p>
          </>
        ) : failure !== undefined ? (
          <p class="failed" role="alert">
            {failure}
          </p>
        ) : (
          <p class="pending" role="status">
            {msg('Asking…')}
          </p>
        )}
      </div>
    );
  }, [item, run]);
}

function Reply({ to }: { readonly to: string | undefined }) {
  const earlier = items.peek().find(({ id }) => id === to);
  if (earlier === undefined) return null;
  return (
    <a class="reply" href={`#${encodeURIComponent(`message-${to}`)}`}>
      ↳ {earlier.message?.card.title ?? msg('an earlier message')}
    </a>
  );
}

/** Commands that the empty chat suggests. */
const suggestions = ['market', 'regime', 'funding BTCUSDT', 'liquidations', 'status', 'help'];

/** Pixels between the upper edge of the list and a question whose answer is longer than the visible area. */
const aboveQuestion = 16;

const isAtEnd = ({ scrollHeight, scrollTop, clientHeight }: Element): boolean =>
  scrollHeight - scrollTop - clientHeight < 80;

function scrollToEnd(scroll: Element): void {
  const question = questionId === undefined ? null : document.getElementById(`message-${questionId}`);
  const begin = question?.getBoundingClientRect().top ?? Number.POSITIVE_INFINITY;
  const beginTop = scroll.scrollTop + begin - scroll.getBoundingClientRect().top - aboveQuestion;
  scroll.scrollTop = Math.min(beginTop, scroll.scrollHeight);
  if (isAtEnd(scroll)) isBehind.value = false;
}

/** Follows the reader: whoever is at the end of the list, or at an answer, stays there as the list changes its size. */
function followReader(scroll: Element, list: Element): () => void {
  let lastScrollTop = 0;
  scroll.addEventListener('scroll', () => {
    // The event of a scroll by this code may arrive after the list has grown again: only scrolling up is certainly the
    // reader's.
    if (questionId === undefined && (isAtEnd(scroll) || scroll.scrollTop < lastScrollTop))
      isFollowing = isAtEnd(scroll);
    lastScrollTop = scroll.scrollTop;
    if (isAtEnd(scroll)) isBehind.value = false;
  });
  for (const name of ['wheel', 'touchmove', 'keydown', 'pointerdown'])
    scroll.addEventListener(name, () => {
      if (questionId !== undefined) isFollowing = isAtEnd(scroll);
      questionId = undefined;
    });
  // Messages arrive, charts are drawn late, phones are turned, and the chat is shown again.
  const observer = new ResizeObserver(() => isFollowing && scrollToEnd(scroll));
  observer.observe(list);
  return () => observer.disconnect();
}

/** The messages of the chat, the newest last. */
export function Timeline({ run }: { readonly run: Run }) {
  const scroll = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (scroll.current !== null && list.current !== null) return followReader(scroll.current, list.current);
    return undefined;
  }, []);
  const showNewest = () => {
    [questionId, isFollowing] = [undefined, true];
    if (scroll.current !== null) scrollToEnd(scroll.current);
  };
  return (
    <>
      <div id="scroll" tabIndex={-1} ref={scroll}>
        <div
          id="timeline"
          ref={list}
          role="log"
          aria-live="polite"
          aria-relevant="additions"
          aria-label={msg('Messages')}
        >
          {items.value.map((item) => (
            // A new version is a new element, which is lit up once.
            <Message key={`${item.id} ${item.message?.at} ${item.message?.edited}`} item={item} run={run} />
          ))}
        </div>
        {items.value.length === 0 && (
          <section id="empty" aria-label={msg('What to try first')}>
            <h2>{msg('Nothing has happened yet')}</h2>
            <p>
              {msg(
                'Alerts appear here as the market turns; each stays one message, from firing to resolved. Meanwhile, ask:',
              )}
            </p>
            <div id="suggestions" class="row">
              {suggestions.map((line) => (
                <button key={line} type="button" onClick={() => run(line)}>
                  {line}
                </button>
              ))}
            </div>
          </section>
        )}
      </div>
      <button id="newest" type="button" hidden={!isBehind.value} onClick={showNewest}>
        {msg('New messages')} ↓
      </button>
    </>
  );
}
