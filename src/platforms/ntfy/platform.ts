import { z } from 'zod';
import { msg } from '../../language/text.ts';
import { minute } from '../../runtime/units.ts';
import { withoutEndSlash } from '../ask-http.ts';
import { definePlatform } from '../platform.ts';
import { serverProblem } from '../server-problem.ts';
import { shortenSecret } from '../shorten-secret.ts';
import { authorizationHeader, notAccepted, openNotifier, remedies } from './notifier.ts';
import { address, options } from './options.ts';

const scheme = 'ntfy:';
/** The account of the token; without a token, the anonymous one (github.com/binwiederhier/ntfy, handleAccountGet). */
const account = z.object({ username: z.string(), role: z.string() });

/** Notifications on phones and desktops through a topic of ntfy.sh, or of a self-hosted server, without an account. */
export default definePlatform({
  name: 'ntfy',
  operatorOnly: true,
  addressFormat: {
    example: `${scheme}a-topic-nobody-guesses`,
    read: (text) =>
      text.startsWith(scheme) ? address.safeParse({ topic: text.slice(scheme.length) }).data : undefined,
  },
  env: { url: 'NTFY_URL', token: 'NTFY_TOKEN' },
  options,
  address,
  shown: ({ topic }) => ({ topic: shortenSecret(topic) }),
  // ntfy.sh allows each visitor 60 requests at once, then one every 5 s (docs.ntfy.sh/publish/#limitations).
  limits: { total: { per: 5 * minute, max: 60 }, concurrency: 4 },
  connecting: {
    title: 'ntfy',
    steps: [
      msg('Install the app ntfy on your phone and subscribe to a topic with a name that nobody guesses.'),
    ],
    asks: { url: msg('Server'), token: msg('Access token') },
  },
  /** Reads the token's account. Whether it may write to a topic is only known after something is posted there. */
  problem: (given) =>
    serverProblem(`${withoutEndSlash(given.url)}/v1/account`, {
      headers: authorizationHeader(given),
      timeout: given.timeout,
      isExpected: (status, json) => status === 200 && account.safeParse(json).success,
      unauthorizedProblem: notAccepted(new URL(given.url).host),
      remedy: remedies.rejected,
    }),
  notifier: openNotifier,
});
