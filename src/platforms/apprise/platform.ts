import { second } from '../../runtime/units.ts';
import { definePlatform } from '../platform.ts';
import { shortened } from '../shortened.ts';
import { openNotifier } from './notifier.ts';
import { address, options } from './options.ts';
import { serverStatus } from './server-status.ts';

const typed = /^apprise:(?<key>[^?]*)(?:\?tag=(?<tag>.*))?$/s;

/** Whatever an Apprise API server of the operator's passes on to: some hundred services. */
export default definePlatform({
  name: 'apprise',
  operated: true,
  written: {
    example: 'apprise:a-key-of-your-server',
    read(text) {
      const { key, tag } = typed.exec(text)?.groups ?? {};
      return address.safeParse({ key, ...(tag !== undefined && { tag }) }).data;
    },
  },
  env: { url: 'APPRISE_URL', user: 'APPRISE_USER', password: 'APPRISE_PASSWORD' },
  options,
  address,
  // Whoever knows a key may post to what stands behind it.
  shown: ({ key, tag }) => ({ key: shortened(key), ...(typeof tag === 'string' && { tag }) }),
  // What the services behind it bear is theirs: about as much as a chat does.
  limits: { perAddress: [{ per: second, max: 1 }], concurrency: 4 },
  problem: serverStatus,
  notifier: openNotifier,
});
