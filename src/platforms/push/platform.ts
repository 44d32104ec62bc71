import { hour } from '../../runtime/units.ts';
import { definePlatform } from '../platform.ts';
import { openNotifier } from './notifier.ts';
import { address, options } from './options.ts';

/** Notifications in browsers that asked for them on the page, also while it is closed (RFC 8030, 8291, 8292). */
export default definePlatform({
  name: 'push',
  // Nobody types a browser's keys.
  addressFormat: { example: 'the button on the page', read: () => undefined },
  options,
  address,
  // The path of an endpoint is as secret as a password, and so are the keys.
  shown: ({ endpoint }) => ({ endpoint: `${URL.parse(String(endpoint))?.origin ?? ''}/…` }),
  // All browsers together have the limits of one account: nobody can make the bot post to any number of them.
  account: () => 'browsers',
  limits: { perAddress: [{ per: hour, max: 100 }], concurrency: 16 },
  notifier: openNotifier,
});
