import { second } from '../../runtime/units.ts';
import { definePlatform } from '../platform.ts';
import { shortenSecret } from '../shorten-secret.ts';
import { openNotifier } from './notifier.ts';
import { address, options } from './options.ts';
import { serverStatus } from './server-status.ts';

const addressPattern = /^apprise:(?<key>[^?]*)(?:\?tag=(?<tag>.*))?$/s;

/** All services that an Apprise API server of the operator forwards to: some hundred. */
export default definePlatform({
  name: 'apprise',
  operatorOnly: true,
  addressFormat: {
    example: 'apprise:a-key-of-your-server',
    read(text) {
      const { key, tag } = addressPattern.exec(text)?.groups ?? {};
      return address.safeParse({ key, ...(tag !== undefined && { tag }) }).data;
    },
  },
  env: { url: 'APPRISE_URL', user: 'APPRISE_USER', password: 'APPRISE_PASSWORD' },
  options,
  address,
  // The key is shortened because anyone who knows it may post to the services behind it.
  shown: ({ key, tag }) => ({ key: shortenSecret(key), ...(typeof tag === 'string' && { tag }) }),
  // The limits of the services behind the server are not known; this rate is about that of a chat.
  limits: { perAddress: [{ per: second, max: 1 }], concurrency: 4 },
  problem: serverStatus,
  notifier: openNotifier,
});
