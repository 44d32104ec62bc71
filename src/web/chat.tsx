import { signal } from '@preact/signals';
import { complete, runLine } from './api.ts';
import { createComposer } from './composer.ts';
import { find, html } from './dom.ts';
import { room } from './room.ts';
import { chosenByDigit, navigate, view } from './route.ts';
import { createTimeline, type Timeline } from './timeline.ts';
import { msg } from './words.ts';

/** Commands that the empty chat suggests. */
const suggestions = ['market', 'regime', 'funding BTCUSDT', 'liquidations', 'status', 'help'];

/** Returns an id that is unique among this chat's messages. `randomUUID` exists only on secure origins. */
export const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(3)), (n) => n.toString(36))
    .join('-')
    .padEnd(8, '0');

let timeline: Timeline | undefined;
/** Number of messages that came while another view was open. */
export const unread = signal(0);

/** Runs a command line as if it had been typed into the chat, and shows its answer there. */
export async function run(line: string): Promise<void> {
  navigate('/chat');
  const id = newId();
  const messageId = `command-${id}`;
  timeline?.putPending(messageId, line);
  try {
    timeline?.put(await runLine({ id, line, room }));
  } catch (error) {
    timeline?.fail({ id: messageId, line, reason: error instanceof Error ? error.message : String(error) });
  }
}

/** The chat, which stays in the page while other views are open. Its messages are not part of the other views' model. */
export function Chat() {
  return (
    <div class="chat" hidden={view.value !== 'chat'}>
      <h2 class="hidden">{msg('Chat')}</h2>
      <div id="scroll" tabIndex={-1}>
        <div
          id="timeline"
          role="log"
          aria-live="polite"
          aria-relevant="additions"
          aria-label={msg('Messages')}
        />
        <section id="empty" aria-label={msg('What to try first')}>
          <h2>{msg('Nothing has happened yet')}</h2>
          <p>
            {msg(
              'Alerts appear here as the market turns; each stays one message, from firing to resolved. Meanwhile, ask:',
            )}
          </p>
          <div id="suggestions" />
        </section>
      </div>
      <button id="newest" type="button" hidden>
        {msg('New messages')} ↓
      </button>
      <form id="composer" autoComplete="off">
        <div id="completions" role="listbox" aria-label={msg('Completions')} hidden />
        <label for="line" class="hidden">
          {msg('Command')}
        </label>
        <input
          id="line"
          name="line"
          type="text"
          maxLength={500}
          placeholder={msg('Type a command: market, funding btc, subscribe, help')}
          spellcheck={false}
          autocapitalize="off"
          enterkeyhint="send"
          role="combobox"
          aria-expanded="false"
          aria-controls="completions"
          aria-autocomplete="list"
        />
        <button type="submit">{msg('Send')}</button>
      </form>
    </div>
  );
}

/** Fills the rendered chat and returns how to add messages to it. */
export function startChat(): Pick<Timeline, 'put'> {
  const list = createTimeline({
    list: find('timeline', HTMLElement),
    empty: find('empty', HTMLElement),
    scroll: find('scroll', HTMLElement),
    newest: find('newest', HTMLButtonElement),
    run: (line) => void run(line),
  });
  timeline = list;
  createComposer({
    form: find('composer', HTMLFormElement),
    input: find('line', HTMLInputElement),
    list: find('completions', HTMLElement),
    send: run,
    complete: (line) => complete(line, room),
  });
  for (const line of suggestions) {
    const button = html('button', { type: 'button' }, line);
    button.addEventListener('click', () => void run(line));
    find('suggestions', HTMLElement).append(button);
  }
  view.subscribe((now) => {
    if (now !== 'chat') return;
    unread.value = 0;
    // The chat is shown only after this event.
    setTimeout(() => {
      list.onShown();
      // In the field, the next digit would be typed.
      if (!chosenByDigit && matchMedia('(hover: hover)').matches) find('line', HTMLInputElement).focus();
    });
  });
  return list;
}
