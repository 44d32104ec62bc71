import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Alert, revise } from '#src/alert/alert.ts';
import { alertCard } from '#src/card/alert-card.ts';
import { sayCard } from '#src/card/say-card.ts';
import { readBody, Unreadable } from '#src/hook/read.ts';
import type { Signal } from '#src/hook/signal.ts';
import { hookState, stepHooks } from '#src/hook/step.ts';
import { UserError } from '#src/language/errors.ts';
import { plainReader } from '#src/language/say.ts';
import { renderDiscord } from '#src/platforms/discord/render.ts';
import { maxText, renderTelegram } from '#src/platforms/telegram/render.ts';
import { start } from '#test/support/alerts.ts';
import { universe } from '#test/support/data.ts';
import { pinged, readMessage } from '#test/support/discord/message.ts';
import { hook } from '#test/support/hooks.ts';
import { parseHtml } from '#test/support/telegram/html.ts';

/** Texts with a meaning for a platform, JSON, a template or a log. */
const pieces = [
  '@everyone',
  '@here',
  '@durov',
  '<@1>',
  '<@&222222222222222222>',
  '<!channel>',
  '<a href="https://b.c">',
  '<b>',
  '</b>',
  '&lt;',
  '[a](https://b.c)',
  'https://d.e',
  'tg://user?id=1',
  'evil.com',
  't.me/x',
  'a@b.org',
  '127.0.0.1',
  '**',
  '||',
  '```',
  '\\',
  '# ',
  '\n',
  '\u0000',
  '\u202e',
  '\ud800',
  '{title}',
  '{{',
  '%s',
  'BTCUSDT',
  'sell',
  'resolved',
  '1e999',
  '__proto__',
  '漢字',
  '😀',
  ' ',
];
const hostile = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''));
const value = fc.oneof(hostile, fc.integer(), fc.constant(null), fc.array(hostile, { maxLength: 2 }));
const names = [
  'symbol',
  'ticker',
  'action',
  'side',
  'title',
  'alert',
  'message',
  'status',
  'severity',
  '__proto__',
];
const fields = fc.dictionary(fc.oneof(fc.constantFrom(...names), hostile), value, { maxKeys: 6 });
const alerts = fc.array(
  fc.record(
    {
      status: fc.constantFrom('firing', 'resolved'),
      labels: fields,
      annotations: fields,
      fingerprint: hostile,
    },
    { requiredKeys: ['labels'] },
  ),
  { maxLength: 3 },
);
const body = fc.oneof(
  fields.map((each) => JSON.stringify(each)),
  alerts.map((each) => JSON.stringify({ version: '4', alerts: each })),
  fc.array(fields, { maxLength: 3 }).map((each) => JSON.stringify(each)),
  hostile,
  fc.tuple(fields, fc.nat(60)).map(([each, cut]) => JSON.stringify(each).slice(0, cut)),
);

const read = (text: string, contentType: string): readonly Signal[] => {
  try {
    const { signals } = readBody(Buffer.from(text), {
      template: {},
      severity: 'warning',
      contentType,
      resolveSymbol(named) {
        if (universe.includes(named)) return named;
        throw new UserError('none of these');
      },
      now: start,
    });
    return signals;
  } catch (error) {
    expect(error).toBeInstanceOf(Unreadable);
    return [];
  }
};

/** Returns the alerts that a body leads to in a hook of its own. */
function alertsOf(text: string, contentType: string): Alert[] {
  const signals = read(text, contentType);
  const received = { hook: 'h1', key: 'k', at: start, market: start, signals };
  const hooks = new Map([['h1', hook()]]);
  const { changes } = stepHooks(hookState.parse({}), { received: [received], hooks, now: start });
  return changes.flatMap((change) => revise(undefined, change, start) ?? []);
}

it('2,000 bodies cause no crash, and bring no mark-up, link or mention into a post', () => {
  let posted = 0;
  fc.assert(
    fc.property(body, fc.constantFrom('application/json', 'text/plain'), (text, contentType) => {
      const made = alertsOf(text, contentType);
      if (made.length === 0) return;
      posted += 1;
      const card = sayCard(alertCard(made), plainReader);
      const { entities } = parseHtml(renderTelegram(card, { limit: maxText }).html);
      expect(entities.filter(({ type }) => !['bold', 'italic', 'pre', 'bot_command'].includes(type))).toEqual(
        [],
      );
      for (const message of renderDiscord(card, {})) {
        const sent = readMessage(message);
        if ('status' in sent) throw new Error(JSON.stringify(sent));
        expect(pinged({ ...sent, content: undefined })).toEqual([]);
        const { title = '', description = '' } = message.embeds[0];
        expect(`${title}\n${description}`.replaceAll(/\\[^0-9A-Za-z\s]|```[^`]*```/g, '')).not.toMatch(
          /[<>@[\]|]|:\/\//,
        );
      }
    }),
    { numRuns: 2_000 },
  );
  // Ensures that enough bodies led to posts.
  expect(posted).toBeGreaterThan(200);
});
