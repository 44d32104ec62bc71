import { expect, it } from 'vitest';
import { createNotifier } from '#src/platforms/terminal/notifier.ts';
import { alertCard } from '#test/support/console.ts';

it('an update on the terminal names the post that it continues', async () => {
  const texts: string[] = [];
  const write = async (text: string) => void texts.push(text);
  const { send } = createNotifier({ columns: 60, color: false, write });
  const signal = new AbortController().signal;
  const first = await send(
    { id: 'n-1', version: 'v1', card: alertCard, loud: false, doubt: false },
    { address: {}, signal },
  );
  const second = await send(
    { id: 'n-2', version: 'v1', card: alertCard, loud: false, doubt: false, replyTo: first },
    { address: {}, signal },
  );
  expect(texts[0]).toContain(`#${first}\n`);
  expect(texts[1]).toContain(`#${second} updates #${first}\n`);
});
