import { minute } from '../../runtime/units.ts';
import { definePlatform } from '../platform.ts';
import { openNotifier } from './notifier.ts';
import { address, options } from './options.ts';

const scheme = 'ntfy:';
/** Of a topic: enough to tell one's own from another, too little to read it. */
const shown = 6;

/** Notifications on phones and desktops by a topic of ntfy.sh or of a server of one's own, without an account. */
export default definePlatform({
  name: 'ntfy',
  operated: {
    example: `${scheme}a-topic-nobody-guesses`,
    named: (text) =>
      text.startsWith(scheme) ? address.safeParse({ topic: text.slice(scheme.length) }).data : undefined,
    label: (to) => {
      const { topic } = address.parse(to);
      return `${scheme}${topic.length > shown ? `${topic.slice(0, shown)}…` : topic}`;
    },
  },
  env: { url: 'NTFY_URL', token: 'NTFY_TOKEN' },
  options,
  address,
  // What ntfy.sh allows of one visitor: 60 at once, then one every 5 s (docs.ntfy.sh/publish/#limitations).
  limits: { total: { per: 5 * minute, max: 60 }, concurrency: 4 },
  notifier: openNotifier,
});
