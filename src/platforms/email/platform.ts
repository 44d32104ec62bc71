import { minute, second } from '../../runtime/units.ts';
import { definePlatform } from '../platform.ts';
import { openNotifier } from './notifier.ts';
import { address, options } from './options.ts';
import { serverProblem } from './server-problem.ts';

const scheme = 'mailto:';

/** Mails by an SMTP server. */
export default definePlatform({
  name: 'email',
  operated: true,
  written: {
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
  // Whose mailbox it is, is nobody's business who reads logs.
  shown: ({ to }) => ({ to: String(to).replace(/^(.)[^@]*/, '$1…') }),
  // As providers take it who tell programs from people: a mail a second, and a thousand an hour.
  limits: {
    total: [
      { per: second, max: 1 },
      { per: 60 * minute, max: 1_000 },
    ],
    concurrency: 2,
  },
  problem: serverProblem,
  notifier: openNotifier,
});
