import { msg } from '../../language/text.ts';
import { second } from '../../runtime/units.ts';
import { definePlatform } from '../platform.ts';
import { openNotifier } from './notifier.ts';
import { address, options } from './options.ts';

/** Links to chats that people open in an app: whatever is posted there is lost. */
const openedByPeople =
  /^https?:\/\/(?:(?:t|telegram)\.me\/|(?:[\w-]+\.)?discord\.com\/channels\/|[\w-]+\.slack\.com\/(?:archives|client)\/)/i;

/** Signed POST requests to a URL of the receiver. */
export default definePlatform({
  name: 'webhook',
  readByPrograms: true,
  operatorOnly: true,
  addressFormat: {
    example: 'https://example.com/hook',
    read: (text) => (openedByPeople.test(text) ? undefined : address.safeParse({ url: text }).data),
  },
  env: { secret: 'TOCSIN_WEBHOOK_SECRET' },
  options,
  address,
  // Only the origin is shown, because paths of webhooks are often secrets.
  shown: ({ url }) => ({ url: `${URL.parse(String(url))?.origin ?? ''}/…` }),
  limits: { perAddress: [{ per: second, max: 5 }], concurrency: 16 },
  connecting: {
    title: msg('Webhook'),
    steps: [
      msg('Each post is a POST request with JSON, signed as Standard Webhooks describes it.'),
      msg(
        'Keys of the signatures are derived from a secret: make one up, or take the one that is filled in.',
      ),
    ],
    asks: { secret: msg('Secret') },
  },
  notifier: openNotifier,
});
