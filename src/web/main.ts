import { complete, runLine } from './api.ts';
import { createComposer } from './composer.ts';
import { find, html } from './dom.ts';
import { follow } from './events.ts';
import { createStatus } from './status.ts';
import { createTimeline } from './timeline.ts';

/** What the empty page offers to try first. */
const suggestions = ['market', 'regime', 'funding BTCUSDT', 'liquidations', 'status', 'help'];

const room = new URLSearchParams(location.search).get('room') ?? 'main';

/** Unique among this chat's messages. `randomUUID` exists only on secure origins, this everywhere. */
const newId = () =>
  Array.from(crypto.getRandomValues(new Uint32Array(3)), (n) => n.toString(36))
    .join('-')
    .padEnd(8, '0');

const timeline = createTimeline({
  list: find('timeline', HTMLElement),
  empty: find('empty', HTMLElement),
  scroll: find('scroll', HTMLElement),
  newest: find('newest', HTMLButtonElement),
  run,
});

async function run(line: string): Promise<void> {
  const id = newId();
  const shown = `command-${id}`;
  timeline.pend(shown, line);
  try {
    timeline.put(await runLine({ id, line, room }));
  } catch (error) {
    timeline.fail({ id: shown, line, reason: error instanceof Error ? error.message : String(error) });
  }
}

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

const strip = createStatus(find('status', HTMLElement));
follow(room, { message: timeline.put, connection: strip.connection });

if (matchMedia('(hover: hover)').matches) find('line', HTMLInputElement).focus();
