import { describe, expect, onTestFinished, test } from 'vitest';
import type { Card } from '#src/card/card.ts';
import type { Notification } from '#src/platforms/notifier.ts';
import platform from '#src/platforms/slack/platform.ts';
import { createPace } from '#src/runtime/pace.ts';
import { fakeClock } from '#test/support/clock.ts';
import { alertCard } from '#test/support/console.ts';
import { notifierPorts } from '#test/support/ports.ts';
import { saidProblem } from '#test/support/said-problem.ts';
import { startSlack } from '#test/support/slack.ts';

const channelId = 'C0123456789';
const to = { address: { channelId }, signal: new AbortController().signal };
const firing: Notification = { id: 'n-1', version: 'v1', card: alertCard, loud: true, doubt: false };
const card = (title: string): Card<string> => ({ ...alertCard, title });
const worse = (reference: string): Notification => ({
  ...firing,
  id: 'n-2',
  card: card('It is worse'),
  replyTo: reference,
});

async function setUp(
  given: Parameters<typeof startSlack>[0] & {
    readonly sent?: string;
    readonly ports?: Parameters<typeof notifierPorts>[0];
  } = {},
) {
  const slack = await startSlack(given);
  slack.channel(channelId);
  const refusals: unknown[] = [];
  const ports = notifierPorts({
    reportTokenRefused: (reason) => void refusals.push(reason),
    ...given.ports,
  });
  const options = platform.options.parse({ apiUrl: slack.url, token: given.sent ?? slack.token });
  const connection = platform.notifier(options, ports);
  onTestFinished(async () => {
    await connection.close?.();
    await slack.close();
  });
  const { find, edit } = connection;
  if (find === undefined || edit === undefined) throw new Error('it finds and edits');
  return { slack, options, refusals, send: connection.send, find, edit };
}

test('an alert is one message, and its end is an edit of it', async () => {
  const { slack, send, edit } = await setUp();
  const reference = await send(firing, to);
  expect(await edit(reference, { notification: { ...firing, card: card('It is over') }, ...to })).toBe(
    reference,
  );
  expect(slack.messages.map(({ lines }) => lines.split('\n')[0])).toEqual(['🔴 It is over']);
});

test('posts an escalation in the thread, shown in the channel if loud, and further replies in the same thread', async () => {
  const { slack, send } = await setUp();
  const first = await send(firing, to);
  const second = await send(worse(first), to);
  await send({ ...worse(second), id: 'n-3', loud: false }, to);
  const [root, ...replies] = slack.messages;
  expect(replies.map(({ thread, broadcast }) => [thread, broadcast])).toEqual([
    [root?.ts, true],
    [root?.ts, false],
  ]);
});

test('an escalation is a message of its own if the first message was deleted', async () => {
  const { slack, send } = await setUp();
  const first = await send(firing, to);
  slack.delete(slack.messages[0]?.ts ?? '');
  await send(worse(first), to);
  expect(slack.messages).toMatchObject([{ thread: undefined }]);
});

test.each(['thread_locked', 'restricted_action_thread_locked', 'restricted_action_non_threadable_channel'])(
  'an escalation is a message of its own if replies are refused with %s',
  async (code) => {
    const { slack, send } = await setUp();
    const first = await send(firing, to);
    slack.inject({ method: 'chat.postMessage', answer: { status: 200, body: { ok: false, error: code } } });
    await send(worse(first), to);
    expect(slack.messages).toMatchObject([{ thread: undefined }, { thread: undefined }]);
  },
);

test.each([
  ['in the channel', (_: string): Notification => firing],
  ['in a thread', worse],
])('a post %s whose response was lost is found, and posted once', async (_, next) => {
  const { slack, send, find } = await setUp();
  const first = await send({ ...firing, id: 'n-0' }, to);
  const post = next(first);
  slack.inject({ method: 'chat.postMessage' });
  await expect(send(post, to)).rejects.toMatchObject({
    outcome: { kind: 'unavailable', accepted: 'unknown' },
  });
  const found = await find(post, to);
  expect(found).toMatch(/^C0123456789\/\d+\.\d+\/\d+\.\d+$/);
  expect(await send({ ...post, doubt: true, card: card('It says more') }, to)).toBe(found);
  expect(slack.messages).toHaveLength(2);
  expect(slack.messages.at(-1)?.lines).toContain('It says more');
});

test.each(['thread_not_found', 'thread_locked'])(
  'an escalation that became a message of its own (%s) and whose response was lost is found, and posted once',
  async (error) => {
    const { slack, send, find } = await setUp();
    const first = await send({ ...firing, id: 'n-0' }, to);
    if (error === 'thread_not_found') slack.delete(slack.messages[0]?.ts ?? '');
    const before = slack.messages.length;
    slack.inject({ method: 'chat.postMessage', answer: { status: 200, body: { ok: false, error } } });
    slack.inject({ method: 'chat.postMessage' });
    await expect(send(worse(first), to)).rejects.toMatchObject({
      outcome: { kind: 'unavailable', accepted: 'unknown' },
    });
    const found = await find(worse(first), to);
    expect(await send({ ...worse(first), doubt: true }, to)).toBe(found);
    expect(slack.messages).toHaveLength(before + 1);
  },
);

test('a post that did not arrive is not found, and is posted', async () => {
  const { slack, send, find } = await setUp();
  expect(await find(firing, to)).toBeNull();
  await send({ ...firing, doubt: true }, to);
  expect(slack.messages).toHaveLength(1);
});

test('an edited message with the mark of a reply is not mistaken for the reply', async () => {
  const { slack, send, edit, find } = await setUp();
  const first = await send(firing, to);
  await edit(first, { notification: worse(first), ...to });
  expect(await find(worse(first), to)).toBeNull();
  await send({ ...worse(first), doubt: true }, to);
  expect(slack.messages).toHaveLength(2);
});

test('it is unknown whether a post arrived if there are more messages since than one request returns', async () => {
  const { slack, send, find } = await setUp();
  for (let n = 0; n < 201; n += 1) await send({ ...firing, id: `other-${n}` }, to);
  expect(await find(firing, to)).toBeUndefined();
  expect(slack.calls.at(-1)).toBe('conversations.history');
});

describe('a reply in a long thread whose response was lost', () => {
  async function longThread(replies: number) {
    const s = await setUp();
    const first = await s.send(firing, to);
    for (let n = 0; n < replies; n += 1) await s.send({ ...worse(first), id: `other-${n}` }, to);
    s.slack.inject({ method: 'chat.postMessage' });
    await expect(s.send(worse(first), to)).rejects.toThrow();
    s.slack.calls.length = 0;
    return { ...s, first };
  }

  test('is found beyond the first two hundred replies, and not posted again', async () => {
    const { slack, send, find, first } = await longThread(450);
    const found = await find(worse(first), to);
    expect(found?.split('/')[1]).toBe(slack.messages.at(-1)?.ts);
    expect(slack.calls).toEqual(Array(3).fill('conversations.replies'));
    expect(await send({ ...worse(first), doubt: true }, to)).toBe(found);
    expect(slack.messages).toHaveLength(452);
  });

  test('is looked for only among the replies that came after the message that it replies to', async () => {
    const { slack, send, find, first } = await longThread(250);
    const latest = await send({ ...worse(first), id: 'n-4' }, to);
    slack.calls.length = 0;
    expect(await find({ ...worse(latest), id: 'n-5' }, to)).toBeNull();
    expect(slack.calls).toEqual(['conversations.replies', 'conversations.history']);
  });

  test('is not looked for without end', async () => {
    const { slack, find, first } = await longThread(1);
    const body = { ok: true, messages: [], has_more: true, response_metadata: { next_cursor: 'again' } };
    slack.inject({ method: 'conversations.replies', times: 99, answer: { status: 200, body } });
    expect(await find({ ...worse(first), id: 'n-6' }, to)).toBeUndefined();
    expect(slack.calls.filter((each) => each === 'conversations.replies')).toHaveLength(10);
  });
});

test.each(['edit_window_closed', 'cant_update_message'])(
  'a post that cannot be edited any more (%s) gets one silent reply in its thread',
  async (error) => {
    const { slack, send, edit } = await setUp();
    const reference = await send(firing, to);
    slack.inject({ method: 'chat.update', times: 2, answer: { status: 200, body: { ok: false, error } } });
    const notification = { ...firing, id: 'n-2', card: card('It is over') };
    const answer = await edit(reference, { notification, ...to });
    expect(await edit(reference, { notification, ...to })).toBe(answer);
    expect(slack.messages).toMatchObject([{}, { thread: slack.messages[0]?.ts, broadcast: false }]);
    slack.inject({ method: 'chat.update', answer: { status: 200, body: { ok: false, error } } });
    await expect(
      edit(reference, { notification: { ...notification, onlyEdit: true }, ...to }),
    ).rejects.toMatchObject({
      outcome: { kind: 'rejected' },
    });
  },
);

test('an edit of a deleted post is rejected', async () => {
  const { slack, send, edit } = await setUp();
  const reference = await send(firing, to);
  slack.delete(slack.messages[0]?.ts ?? '');
  await expect(edit(reference, { notification: firing, ...to })).rejects.toMatchObject({
    outcome: { kind: 'rejected' },
  });
});

test.each(['missing_scope', 'not_in_channel', 'channel_not_found', 'not_allowed_token_type'])(
  'a channel that may not be read (%s) leaves unknown what arrived, and takes posts all the same',
  async (error) => {
    const { slack, send, find, refusals } = await setUp();
    const answer = { status: 200, body: { ok: false, error } };
    slack.inject({ method: 'conversations.history', times: 2, answer });
    expect(await find(firing, to)).toBeUndefined();
    await send({ ...firing, doubt: true }, to);
    expect(slack.messages).toHaveLength(1);
    expect(refusals).toEqual([]);
  },
);

test('a failure of Slack while it looks for a post is no answer', async () => {
  const { slack, find } = await setUp();
  const answer = { status: 200, body: { ok: false, error: 'fatal_error' } };
  slack.inject({ method: 'conversations.history', answer });
  await expect(find(firing, to)).rejects.toMatchObject({ outcome: { kind: 'unavailable' } });
});

test('a refused token is reported once, and not sent again for a minute', async () => {
  const { slack, send, refusals } = await setUp({ sent: 'xoxb-another-token' });
  for (const _ of [1, 2])
    await expect(send(firing, to)).rejects.toMatchObject({ outcome: { kind: 'rate_limited' } });
  expect(refusals).toHaveLength(1);
  expect(slack.calls).toEqual(['chat.postMessage']);
});

test('one passing refusal of the token costs a minute, and that it is over is reported', async () => {
  let now = 0;
  const reports: string[] = [];
  const { slack, send } = await setUp({
    ports: {
      steady: { now: () => now },
      reportTokenRefused: () => void reports.push('refused'),
      reportTokenAccepted: () => void reports.push('accepted'),
    },
  });
  const said = { ok: false, error: 'invalid_auth' };
  slack.inject({
    method: 'chat.postMessage',
    answer: { status: 200, body: said },
  });
  await expect(send(firing, to)).rejects.toMatchObject({ outcome: { retryAfter: 60_000 } });
  now = 60_000;
  await send(firing, to);
  expect(slack.messages).toHaveLength(1);
  expect(reports).toEqual(['refused', 'accepted']);
});

test.each([
  ['is well', {}, null],
  ['is not accepted', { sent: 'xoxb-another-token' }, /does not accept SLACK_TOKEN/],
  ['lacks a scope', { scopes: 'chat:write' }, /lacks a scope/],
] as const)('a check of a token that %s says so, and posts nothing', async (_, given, expected) => {
  const { slack, options } = await setUp(given);
  const problem = await saidProblem(platform, options);
  if (expected === null) expect(problem).toBeNull();
  else expect(problem).toMatch(expected);
  expect(slack.calls).toEqual(['auth.test']);
});

test('the pace avoids every refusal for posts to two channels and edits in both', async () => {
  const clock = fakeClock(0);
  const { slack, send, edit } = await setUp({ now: clock.now });
  const channels = [channelId, slack.channel('C9876543210')];
  const pace = createPace(platform.limits, clock);
  const { paceKey = () => '' } = platform.limits;
  const work = channels.flatMap((each) =>
    Array.from({ length: 30 }, async (_, n) => {
      const there = { ...to, address: { channelId: each } };
      const turn = (act: 'post' | 'edit') =>
        pace.take(paceKey(there.address, act), { lane: 'routine', signal: to.signal });
      await turn('post');
      const reference = await send({ ...firing, id: `${each}-${n}` }, there);
      await turn('edit');
      await edit(reference, { notification: { ...firing, id: `${each}-${n}` }, ...there });
    }),
  );
  let done = false;
  const all = Promise.all(work).finally(() => {
    done = true;
  });
  while (!done) await clock.advance(100);
  await all;
  expect(slack.messages).toHaveLength(60);
});

test.each([
  ['slack:C0123456789', { channelId: 'C0123456789' }],
  ['slack:#general', undefined],
  ['slack:', undefined],
  ['C0123456789', undefined],
])('an operator’s input is read, or refused if it is invalid: %s', (text, address) => {
  expect(platform.addressFormat.read(text)).toEqual(address);
});
