import { pino } from 'pino';
import { expect, it } from 'vitest';
import { DeliveryError } from '#src/language/errors.ts';
import { publishMenuButton } from '#src/platforms/telegram/menu.ts';
import { memoryPlaces } from '#test/support/places.ts';

const page = 'https://tocsin.example.org';

function fixture(call: () => Promise<unknown> = async () => true) {
  const { places } = memoryPlaces();
  const sent: unknown[] = [];
  const warned: unknown[] = [];
  const publish = (address: string | undefined) =>
    publishMenuButton(
      {
        call: async (method, { payload, result }) => {
          sent.push([method, payload]);
          return result.parse(await call());
        },
      },
      {
        page: address,
        places,
        log: pino({ level: 'warn' }, { write: (line: string) => void warned.push(line) }),
      },
      { botId: '1', signal: new AbortController().signal },
    );
  return { publish, sent, warned };
}

it('the menu button opens the page where it has a public address, and is set once', async () => {
  const { publish, sent } = fixture();
  await publish(undefined);
  expect(sent).toEqual([]);
  await publish(page);
  await publish(page);
  const button = { type: 'web_app', text: 'Tocsin', web_app: { url: `${page}/sign-in/telegram` } };
  expect(sent).toEqual([['setChatMenuButton', { menu_button: button }]]);
  // Telegram opens a page over TLS alone.
  await publish('http://tocsin.example.org');
  expect(sent.at(-1)).toEqual(['setChatMenuButton', { menu_button: { type: 'default' } }]);
});

it('an address that Telegram refuses is said in the log, and tried again at the next start', async () => {
  const { publish, sent, warned } = fixture(async () => {
    throw new DeliveryError({ kind: 'rejected' }, 'BUTTON_URL_INVALID');
  });
  await publish(page);
  await publish(page);
  expect([sent.length, warned.length]).toEqual([2, 2]);
});
