import { msg } from '../../language/text.ts';
import { minute, second } from '../../runtime/units.ts';
import { definePlatform } from '../platform.ts';
import { notAccepted, toError } from './failure.ts';
import { openNotifier, transportOf } from './notifier.ts';
import { address, options } from './options.ts';

const scheme = 'mailto:';

/** Mails sent through an SMTP server. */
export default definePlatform({
  name: 'email',
  operatorOnly: true,
  addressFormat: {
    example: `${scheme}you@example.org`,
    read: (text) =>
      text.startsWith(scheme) ? address.safeParse({ to: text.slice(scheme.length) }).data : undefined,
  },
  env: {
    host: 'SMTP_HOST',
    port: 'SMTP_PORT',
    user: 'SMTP_USER',
    password: 'SMTP_PASSWORD',
    from: 'SMTP_FROM',
  },
  options,
  address,
  // Logs do not show whose mailbox it is.
  shown: ({ to }) => ({ to: String(to).replace(/^(.)[^@]*/, '$1…') }),
  // A rate that providers with separate limits for programs and people accept: one mail a second, and a thousand an hour.
  limits: {
    total: [
      { per: second, max: 1 },
      { per: 60 * minute, max: 1_000 },
    ],
    concurrency: 2,
  },
  connecting: {
    title: 'Email',
    steps: [msg('Your mail provider names its SMTP server. Most of them want a password made for apps.')],
    notAccepted,
    asks: {
      host: msg('SMTP server'),
      port: msg('Port'),
      tls: msg('Encryption'),
      user: msg('User name'),
      password: msg('Password'),
      from: msg('Sender'),
    },
  },
  /** Logs in to the server and disconnects. */
  async problem(given) {
    const transport = await transportOf(given);
    try {
      await transport.verify();
      return null;
    } catch (error) {
      return toError(error, { host: given.host, isEnded: false }).text;
    } finally {
      transport.close();
    }
  },
  notifier: openNotifier,
});
