import type { DeliveryFailure } from '#src/language/errors.ts';
import { startSlack } from '#test/support/slack.ts';
import { answeringServer } from '../answering.ts';
import type { NotifierFixture } from '../fixture.ts';

const token = 'xoxb-0123456789-abcdefghijkl';
const channelId = 'C0123456789';

const server = answeringServer({ channelId });
const { answering } = server;
const status = (code: number, expected: DeliveryFailure, headers: Record<string, string> = {}) =>
  server.status(code, expected, {
    headers,
    body: '{"ok":false,"error":"ratelimited"}'.repeat(code === 429 ? 1 : 2),
  });
const said = (error: string, expected: DeliveryFailure) =>
  answering(error, expected, (_request, response) => {
    response.end(JSON.stringify({ ok: false, error }));
  });

const unknown: DeliveryFailure = { kind: 'unavailable', accepted: 'unknown' };
const notDone: DeliveryFailure = { kind: 'unavailable', accepted: 'no' };
const missing: DeliveryFailure = { kind: 'missing' };
const rejected: DeliveryFailure = { kind: 'rejected' };
/** A problem with the token: posts wait until there is another one. */
const held: DeliveryFailure = { kind: 'rate_limited', retryAfter: 60_000 };

export default {
  overHttp: true,
  options: {
    token,
    get apiUrl() {
      return server.url();
    },
    get timeout() {
      return server.timeout();
    },
  },
  // Slack accepts the same post twice, so a post in doubt is looked for.
  idempotent: false,
  secrets: [token],
  shown: [[{ channelId }, { channelId }]],
  refused: [
    {},
    { channelId: '' },
    { channelId: '#general' },
    { channelId: 'U0123456789' },
    { channelId: 'c0123456789' },
  ],
  async open() {
    const slack = await startSlack({ token });
    server.is(slack);
    slack.channel(channelId);
    const received = () => slack.messages.map(({ lines }) => lines);
    return { ports: {}, address: { channelId }, received, close: slack.close };
  },
  failures: [
    status(429, { kind: 'rate_limited', retryAfter: 7_000 }, { 'retry-after': '7' }),
    status(429, { kind: 'rate_limited', retryAfter: 30_000 }),
    said('ratelimited', { kind: 'rate_limited', retryAfter: 30_000 }),
    ...[
      'invalid_auth',
      'not_authed',
      'token_revoked',
      'token_expired',
      'account_inactive',
      'missing_scope',
    ].map((error) => said(error, held)),
    ...['channel_not_found', 'not_in_channel', 'is_archived', 'restricted_action_read_only_channel'].map(
      (error) => said(error, missing),
    ),
    ...['msg_too_long', 'msg_blocks_too_long', 'invalid_blocks', 'no_text', 'a_code_of_tomorrow'].map(
      (error) => said(error, rejected),
    ),
    ...['fatal_error', 'internal_error', 'update_failed'].map((error) => said(error, unknown)),
    ...['service_unavailable', 'request_timeout', 'external_channel_migrating'].map((error) =>
      said(error, notDone),
    ),
    status(500, unknown),
    status(503, notDone),
    ...[302, 401, 404].map((code) => status(code, notDone)),
    answering('200 by what is not Slack', unknown, (_request, response) =>
      response.end('<html>Welcome</html>'),
    ),
    ...server.broken,
  ],
} satisfies NotifierFixture;
