import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { Card } from '#src/card/card.ts';
import platform from '#src/platforms/email/platform.ts';
import { renderMail } from '#src/platforms/email/render.ts';
import type { Notification } from '#src/platforms/notifier.ts';
import type { NotifierPorts } from '#src/platforms/ports.ts';
import { withSendCheck } from '#src/runtime/send-check.ts';
import { codePoint } from '#test/support/code-point.ts';
import { alertCard, marketNow } from '#test/support/console.ts';
import { notifierPorts } from '#test/support/ports.ts';
import { saidProblem } from '#test/support/said-problem.ts';
import { startSmtp } from '#test/support/smtp.ts';

const to = { address: { to: 'ada@example.org' }, signal: new AbortController().signal };
const firing: Notification = { id: 'n-1', version: 'v1', card: alertCard, loud: true, doubt: false };
const over: Notification = {
  ...firing,
  version: 'v2',
  card: { ...alertCard, title: 'Funding is back to normal', status: 'resolved' },
};

async function setUp({
  given = {},
  ports = {},
}: {
  readonly given?: object;
  readonly ports?: Partial<NotifierPorts>;
} = {}) {
  const smtp = await startSmtp({ mailboxes: ['ada@example.org'] });
  const refusals: unknown[] = [];
  const options = platform.options.parse({
    ...{ host: '127.0.0.1', port: smtp.port, user: smtp.user, password: smtp.password },
    ...{ from: 'Tocsin <alerts@example.org>', tls: 'never', timeout: '5s' },
    ...given,
  });
  let accepted = 0;
  const reports = {
    reportTokenRefused: (reason: unknown) => void refusals.push(reason),
    reportTokenAccepted() {
      accepted += 1;
    },
  };
  const connection = platform.notifier(options, notifierPorts({ ...reports, ...ports }));
  onTestFinished(async () => {
    await connection.close?.();
    await smtp.close();
  });
  const { edit } = connection;
  if (edit === undefined) throw new Error('it edits');
  return { smtp, options, refusals, accepted: () => accepted, send: connection.send, edit };
}
const header = (name: string) => (mail: { readonly headers: ReadonlyMap<string, string> }) =>
  mail.headers.get(name);

test('a mail that is sent again has the same Message-ID only if it says the same: mailboxes drop one they know', async () => {
  const { smtp, send } = await setUp();
  await send(firing, to);
  await send({ ...firing, doubt: true }, to);
  await send({ ...over, doubt: true }, to);
  const [first, again, newer] = smtp.mails.map(header('message-id'));
  expect(again).toBe(first);
  expect(newer).not.toBe(first);
});

test('an alert is a thread with its beginning, escalations and end, and no mail in between', async () => {
  const { smtp, send, edit } = await setUp();
  const first = await send(firing, to);
  expect(
    await edit(first, { notification: { ...firing, card: { ...alertCard, status: 'updated' } }, ...to }),
  ).toBe(first);
  const second = await send(
    { ...firing, id: 'n-2', card: { ...alertCard, title: 'It is worse' }, replyTo: first },
    to,
  );
  const last = String(await edit(second, { notification: over, ...to }));
  expect(await edit(last, { notification: { ...over, version: 'v3' }, ...to })).toBe(last);
  expect(smtp.mails.map(({ text }) => text.split('\n')[0])).toEqual([
    alertCard.title,
    'It is worse',
    'Funding is back to normal',
  ]);
  expect(smtp.mails.map(header('subject'))).toEqual([
    alertCard.title,
    ...Array(2).fill(`Re: ${alertCard.title}`),
  ]);
  const root = '<n-1.v1@example.org>';
  expect(smtp.mails.map(header('message-id'))).toEqual([
    root,
    '<n-2.v1@example.org>',
    '<n-1.v2@example.org>',
  ]);
  for (const name of ['in-reply-to', 'references'])
    expect(smtp.mails.map(header(name))).toEqual([undefined, root, root]);
  expect(new Set(smtp.mails.map(header('auto-submitted')))).toEqual(new Set(['auto-generated']));
});

test('a post that a newer one replaced is not changed', async () => {
  const { smtp, send, edit } = await setUp();
  const reference = await send(firing, to);
  await edit(reference, { notification: { ...over, onlyEdit: true }, ...to });
  expect(smtp.mails).toHaveLength(1);
});

test('a mail contains the card as plain text, and its chart', async () => {
  const png = Buffer.from('89504e47', 'hex');
  const { smtp, send } = await setUp({ ports: { image: async () => ({ png, alt: 'Funding' }) } });
  await send(firing, to);
  expect(smtp.mails[0]?.text.trim().split('\n')).toEqual([
    alertCard.title,
    ...(alertCard.summary ?? '').split('\n'),
    '',
    'Rate: 0.0910 %',
    'Annualised: 99.6 %',
    'z-score: 3.42',
    'Mean of 30 days: 0.0104 %',
    '',
    'as of 14 Mar 2026, 09:30 UTC · simulated, 240 ×',
  ]);
  expect(smtp.mails[0]).toMatchObject({
    pictures: 1,
    html: expect.stringContaining('<img src="cid:chart" alt="Funding"'),
  });
  expect(alertCard.dataTime).toBe(marketNow);
});

test('nothing is sent unencrypted if encryption is required', async () => {
  const { smtp, send } = await setUp({ given: { tls: 'start' } });
  await expect(send(firing, to)).rejects.toMatchObject({ outcome: { kind: 'unavailable', accepted: 'no' } });
  expect(smtp.mails).toEqual([]);
});

test.each([
  ['waits for the text', 1],
  ['waits for the end of the text', 2],
])(
  'no mail is sent by a process that loses its role before the server, which %s, has all of it',
  async (_, checks) => {
    const { smtp, send } = await setUp();
    let left = checks;
    const signal = withSendCheck(new AbortController().signal, () => left-- > 0);
    await expect(send(firing, { ...to, signal })).rejects.toMatchObject({
      outcome: { kind: 'unavailable', accepted: 'no' },
      message: 'sending was cancelled before it began',
    });
    expect(smtp.mails).toEqual([]);
    await send(firing, to);
    expect(smtp.mails).toHaveLength(1);
  },
);

test.each([
  ['a password that is not accepted', { password: 'another' }, /does not accept the user or the password/],
  ['a server without encryption', { tls: 'start' }, /offers no encryption: check platforms\.email\.tls/],
  [
    'encryption that the port does not speak',
    { tls: 'always' },
    /check SMTP_HOST, SMTP_PORT and platforms\.email\.tls/,
  ],
  ['a port at which nothing listens', { port: 1 }, /check SMTP_HOST, SMTP_PORT and/],
  ['a host that does not exist', { host: 'nowhere.invalid' }, /check SMTP_HOST, SMTP_PORT and/],
  ['a server that is well', {}, null],
])('a check finds %s, and sends nothing', async (_, given, expected) => {
  const { smtp, options } = await setUp({ given });
  const problem = await saidProblem(platform, options);
  if (expected === null) expect(problem).toBeNull();
  else expect(problem).toMatch(expected);
  expect(smtp.mails).toEqual([]);
});

test.each([
  ['password', { password: 'another' }],
  ['sender without a login', { user: null, password: null }],
])('a refused %s is reported', async (_, given) => {
  const { send, refusals, accepted } = await setUp({ given });
  await expect(send(firing, to)).rejects.toMatchObject({ outcome: { kind: 'rate_limited' } });
  expect([refusals.length, accepted()]).toEqual([1, 0]);
});

test('an accepted password is reported with each mail, but not with a change that is not sent', async () => {
  const { send, edit, refusals, accepted } = await setUp();
  const reference = await send(firing, to);
  await edit(reference, { notification: { ...firing, card: { ...alertCard, status: 'updated' } }, ...to });
  expect([refusals.length, accepted()]).toEqual([0, 1]);
});

test('a server accepts the mail of any card, and nothing in it becomes a header or mark-up', async () => {
  const { smtp, send } = await setUp();
  const text = fc.oneof(
    fc.string({ unit: codePoint, maxLength: 300 }),
    fc.constantFrom('x\r\nBcc: eve@example.org\r\n\r\n.', '<script>&"', '.\r\n.', 'é'.repeat(1_500), ''),
  );
  const card: fc.Arbitrary<Card<string>> = fc.record({
    title: text,
    summary: text,
    facts: fc.array(fc.record({ name: text, value: text }), { maxLength: 4 }),
    table: fc.record({
      columns: fc.array(text, { maxLength: 2 }),
      rows: fc.array(fc.array(text, { maxLength: 2 }), { maxLength: 3 }),
    }),
  });
  let sent = 0;
  await fc.assert(
    fc.asyncProperty(card, async (each) => {
      sent += 1;
      await send({ ...firing, id: `n-${sent}`, card: each }, to);
      const mail = smtp.mails.at(-1);
      expect(mail?.headers.has('bcc')).toBe(false);
      expect(mail?.text.trim()).toBe(renderMail(each).text.trim());
      expect(
        mail?.html.replaceAll(/<\/?(h3|p|small|table cellpadding="4"|table|tr|t[dh]( align="left")?)>/g, ''),
      ).not.toMatch(/[<>]/);
    }),
    { numRuns: 12 },
  );
  expect(smtp.mails).toHaveLength(sent);
});

test.each([
  ['mailto:ada@example.org', { to: 'ada@example.org' }],
  ['mailto:ada', undefined],
  ['ada@example.org', undefined],
])('an operator’s input is read, or refused if it is invalid: %s', (text, address) => {
  expect(platform.addressFormat.read(text)).toEqual(address);
});
