import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { messageOf, newId, runLine } from './api.ts';
import { Composer } from './composer.tsx';
import { chosenByDigit, navigate, view } from './route.ts';
import { fail, put, putPending, Timeline } from './timeline.tsx';
import { msg } from './words.ts';

/** Number of messages that came while another view was open. */
export const unread = signal(0);

/** Runs a command line as if it had been typed into the chat, and shows its answer there. */
export async function run(line: string): Promise<void> {
  navigate('/chat');
  const id = newId();
  const messageId = `command-${id}`;
  putPending(messageId, line);
  try {
    put(await runLine(line, id));
  } catch (error) {
    fail({ id: messageId, line, failure: messageOf(error) });
  }
}

/** The chat, which stays in the page while other views are open. */
export function Chat() {
  const isShown = view.value === 'chat';
  useEffect(() => {
    if (!isShown) return;
    unread.value = 0;
    // In the field, the next digit would be typed.
    if (!chosenByDigit && matchMedia('(hover: hover)').matches) document.getElementById('line')?.focus();
  }, [isShown]);
  return (
    <div class="chat" hidden={!isShown}>
      <h2 class="hidden">{msg('Chat')}</h2>
      <Timeline run={run} />
      <Composer of="chat" send={run}>
        <button type="submit">{msg('Send')}</button>
      </Composer>
    </div>
  );
}
