import { second } from '../../runtime/units.ts';
import { definePlatform } from '../platform.ts';
import { openNotifier } from './notifier.ts';
import { address, options } from './options.ts';

/** Signed POSTs to a URL of somebody's own. Nobody can talk there. */
export default definePlatform({
  name: 'webhook',
  machine: true,
  env: { secret: 'TOCSIN_WEBHOOK_SECRET' },
  options,
  address,
  limits: { perAddress: [{ per: second, max: 5 }], concurrency: 16 },
  notifier: openNotifier,
});
