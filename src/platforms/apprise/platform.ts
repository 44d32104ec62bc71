import { z } from 'zod';
import { msg, type Text } from '../../language/text.ts';
import { second } from '../../runtime/units.ts';
import { definePlatform } from '../platform.ts';
import { serverProblem } from '../server-problem.ts';
import { shortenSecret } from '../shorten-secret.ts';
import { credentials, notAccepted, openNotifier, remedies } from './notifier.ts';
import { type AppriseOptions, address, options } from './options.ts';

const addressPattern = /^apprise:(?<key>[^?]*)(?:\?tag=(?<tag>.*))?$/s;

/** The health response of an Apprise API server (github.com/caronc/apprise-api, HealthCheckView). */
const health = z.object({ status: z.object({ details: z.array(z.string()) }) });

/** With status 417 the server cannot write its own configuration, but it can send. */
const healthyStatuses: readonly number[] = [200, 417];

/** Checks the server's health. Whether the server knows a key is only known after something is posted to it. */
const serverStatus = (options: AppriseOptions): Promise<Text | null> =>
  serverProblem(`${options.url}/status`, {
    headers: { accept: 'application/json', ...credentials(options) },
    timeout: options.timeout,
    isExpected: (status, json) => healthyStatuses.includes(status) && health.safeParse(json).success,
    unauthorizedProblem: notAccepted(new URL(options.url).host),
    remedy: remedies.rejected,
  });

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
  connecting: {
    title: 'Apprise',
    steps: [
      msg('Run an Apprise API server ({url}) and store your services in it under a key.', {
        url: 'https://github.com/caronc/apprise-api',
      }),
    ],
    asks: { url: msg('Server'), user: msg('User name'), password: msg('Password') },
  },
  problem: serverStatus,
  notifier: openNotifier,
});
