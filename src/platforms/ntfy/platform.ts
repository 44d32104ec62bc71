import { msg } from '../../language/text.ts';
import { minute } from '../../runtime/units.ts';
import { definePlatform } from '../platform.ts';
import { shortenSecret } from '../shorten-secret.ts';
import { openNotifier } from './notifier.ts';
import { address, options } from './options.ts';
import { tokenProblem } from './token-problem.ts';

const scheme = 'ntfy:';

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
  problem: tokenProblem,
  notifier: openNotifier,
});
