import type { DeliveryFailure } from '#src/language/errors.ts';
import { type SmtpStep, startSmtp } from '#test/support/smtp.ts';
import type { NotifierFixture } from '../fixture.ts';

const address = { to: 'ada@example.org' };
const password = 'correct-horse-battery';

/** The server of the current place, so that the options can name its port before it exists. */
let server: { readonly port: number } | undefined;

const options = {
  host: '127.0.0.1',
  user: 'tocsin',
  password,
  from: 'Tocsin <alerts@example.org>',
  tls: 'never',
  timeout: '20s',
  get port() {
    return server?.port ?? 1;
  },
};

const at = (step: SmtpStep, reply: string | null, expected: DeliveryFailure) => ({
  name: `${step}: ${reply}`,
  expected,
  async arrange() {
    const smtp = await startSmtp({ mailboxes: [address.to], instead: { [step]: reply } });
    server = smtp;
    return { ports: {}, address, close: smtp.close };
  },
});

const unknown: DeliveryFailure = { kind: 'unavailable', accepted: 'unknown' };
const notTaken: DeliveryFailure = { kind: 'unavailable', accepted: 'no' };

export default {
  options,
  // A mail cannot be recalled; one that is sent again has the Message-ID of the first.
  idempotent: true,
  secrets: [password],
  shown: [[address, { to: 'a…@example.org' }]],
  refused: [
    {},
    { to: '' },
    { to: 'ada' },
    { to: 'ada@example.org\r\nBcc: eve@example.org' },
    { to: 'a@b.org, c@d.org' },
  ],
  async open() {
    const smtp = await startSmtp({ mailboxes: [address.to] });
    server = smtp;
    const received = () => {
      // A mailbox shows a mail with a known Message-ID once.
      const shown = new Map(smtp.mails.map((mail) => [mail.headers.get('message-id'), mail]));
      return [...shown.values()].map(({ text }) => text);
    };
    return { ports: {}, address, received, close: smtp.close };
  },
  failures: [
    at('GREETING', '421 4.3.2 too busy', notTaken),
    at('AUTH', '535 5.7.8 credentials invalid', { kind: 'rate_limited', retryAfter: 600_000 }),
    at('AUTH', '454 4.7.0 try again', notTaken),
    at('GREETING', '554 5.7.1 no service for your address', notTaken),
    at('MAIL', '550 5.7.1 not your address', { kind: 'rate_limited', retryAfter: 600_000 }),
    at('MAIL', '530 5.7.0 authentication required', { kind: 'rate_limited', retryAfter: 600_000 }),
    at('MAIL', '552 5.3.4 larger than I take', { kind: 'rejected' }),
    at('MAIL', '550 5.4.5 daily quota exceeded', { kind: 'rate_limited', retryAfter: 3_600_000 }),
    at('MESSAGE', '550 5.4.5 daily quota exceeded', { kind: 'rate_limited', retryAfter: 3_600_000 }),
    at('MAIL', '451 4.7.1 greylisted', notTaken),
    at('RCPT', '550 5.1.1 no such mailbox', { kind: 'missing' }),
    at('RCPT', '450 4.2.0 greylisted', notTaken),
    at('DATA', '452 4.3.1 full', notTaken),
    at('MESSAGE', '554 5.7.1 looks like spam', { kind: 'rejected' }),
    at('MESSAGE', '451 4.3.0 try again', notTaken),
    at('MESSAGE', null, unknown),
    at('DATA', null, notTaken),
    at('RCPT', null, notTaken),
    at('GREETING', null, notTaken),
  ],
} satisfies NotifierFixture;
