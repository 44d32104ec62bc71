import { DeliveryError } from '../../language/errors.ts';
import { msg } from '../../language/text.ts';
import { minute, second } from '../../runtime/units.ts';
import { definePlatform } from '../platform.ts';
import { createSlackApi } from './api.ts';
import { lacksScope, notAccepted } from './failure.ts';
import { openNotifier, paceOf } from './notifier.ts';
import { address, options } from './options.ts';

const scheme = 'slack:';
const isEdits = (place: string): boolean => place === paceOf({}, 'edit');

/** A bot in channels of a Slack workspace, through Slack's Web API. */
export default definePlatform({
  name: 'slack',
  operatorOnly: true,
  addressFormat: {
    example: `${scheme}C0123456789`,
    read: (text) =>
      text.startsWith(scheme) ? address.safeParse({ channelId: text.slice(scheme.length) }).data : undefined,
  },
  env: { token: 'SLACK_TOKEN', apiUrl: 'SLACK_API_URL' },
  options,
  address,
  shown: (to) => to,
  limits: {
    // A workspace may get "several hundred messages per minute" (docs.slack.dev/apis/web-api/rate-limits).
    total: { per: minute, max: 300 },
    perAddress: [
      // Slack allows one message a second to a channel. The bot stays a little below, because delays on the way bring
      // requests closer together.
      { per: 1.1 * second, max: 1, appliesTo: (place) => !isEdits(place) },
      // chat.update is in tier 3: "50+ per minute" for the whole workspace.
      { per: 1.02 * minute, max: 50, appliesTo: isEdits },
    ],
    paceKey: paceOf,
    concurrency: 32,
  },
  connecting: {
    title: 'Slack',
    steps: [
      msg('Open {url}, press Create New App, and choose the workspace.', {
        url: 'https://api.slack.com/apps',
      }),
      msg('Under OAuth & Permissions, add the bot scopes {scopes} and press Install to Workspace.', {
        scopes: 'chat:write, channels:history, groups:history',
      }),
      msg('Copy the Bot User OAuth Token. In the channel, type {invite}.', { invite: '/invite @…' }),
    ],
    notAccepted,
    asks: { token: msg('Bot User OAuth Token') },
  },
  /** Asks auth.test, which posts nothing. */
  async problem(given, now) {
    const api = createSlackApi(given, {
      wall: { now },
      steady: { now },
      reportTokenRefused: () => {},
      reportTokenAccepted: () => {},
    });
    try {
      const signal = AbortSignal.timeout(given.timeout);
      const answer = await api.ask({ method: 'auth.test', body: {}, signal });
      if (!answer.ok) return answer.refusal.reason;
      const { scopes = [] } = answer;
      const lacks =
        scopes.length > 0 && !['chat:write', 'channels:history'].every((scope) => scopes.includes(scope));
      return lacks ? lacksScope : null;
    } catch (error) {
      if (error instanceof DeliveryError) return error.text;
      throw error;
    } finally {
      await api.close();
    }
  },
  notifier: openNotifier,
});
