import { describe, expect, it, vi } from 'vitest';
import type { Card } from '#src/card/card.ts';
import { patience } from '#test/support/patience.ts';
import type { Message } from '#test/support/telegram/chats.ts';
import { ada, bob, type DoubleOptions, me } from '#test/support/telegram/double.ts';
import { double, platform } from './fixture.ts';

const group = -100_500;
const waitFor = <T>(look: () => T, value: unknown) =>
  vi.waitFor(() => expect(look()).toEqual(value), { timeout: patience, interval: 5 });

async function inGroup(
  given: DoubleOptions = {},
  { botIs = 'member', ask }: { readonly botIs?: string; readonly ask?: () => Promise<Card<string>> } = {},
) {
  const telegram = await double({ limits: null, ...given });
  telegram.chat({
    id: group,
    members: { [ada.id]: 'creator', [bob.id]: 'member', [me.id]: botIs },
  });
  const bot = await platform(telegram, { ports: ask === undefined ? {} : { ask } });
  return { telegram, bot };
}
type Group = Awaited<ReturnType<typeof inGroup>>;

/** Returns who sees each message of the group, oldest first: the id of one person, or all. */
const seenBy = ({ telegram }: Group) => telegram.messages.map(({ aside }) => aside?.userId ?? 'all');
const shown = async ({ telegram }: Group, count: number): Promise<Message> => {
  await waitFor(() => telegram.messages.length, count);
  const last = telegram.messages.at(-1);
  if (last === undefined) throw new Error('no message');
  return last;
};
const anyButton = ({ keyboard }: Message): string => keyboard.flat()[0]?.callback_data ?? 'no button';

describe('the answer to a button in a group', () => {
  it.each([
    ['as Bot API 10.3 has it', 10.3],
    ['as Bot API 10.2 has it', 10.2],
  ])(
    'is visible only to the person who pressed it, %s, and so are the answers to its own buttons',
    async (_how, botApi) => {
      const g = await inGroup({ botApi });
      g.telegram.say('/funding', { chatId: group });
      const question = await shown(g, 1);
      g.telegram.press(question, anyButton(question), bob);
      const answer = await shown(g, 2);
      expect(answer.aside?.userId).toBe(bob.id);
      g.telegram.press({ ...answer, keyboard: question.keyboard }, anyButton(question), bob);
      await shown(g, 3);
      expect(seenBy(g)).toEqual(['all', bob.id, bob.id]);
      expect(g.telegram.refusals(400)).toBe(0);
    },
  );

  it.each([
    ['is older', { botApi: 10.1 }, undefined, 0],
    ['does not want it', {}, 'Bad Request: BOT_NOT_ADMIN', 1],
    ['wants more rights for it', {}, 'Bad Request: not enough rights', 1],
  ])('is visible to all if the server %s', async (_why, options, description, refusals) => {
    const g = await inGroup(options);
    g.telegram.say('/funding', { chatId: group });
    const question = await shown(g, 1);
    if (description !== undefined)
      g.telegram.inject({ method: 'sendMessage', how: { answer: { code: 400, description } } });
    g.telegram.press(question, anyButton(question), bob);
    const answer = await shown(g, 2);
    expect(seenBy(g)).toEqual(['all', 'all']);
    expect(answer.replyTo).toBe(question.message_id);
    expect(g.telegram.refusals(400)).toBe(refusals);
    expect(g.bot.did).toEqual([]);
  });

  it('is visible to all if it is completed later by an edit', async () => {
    const whole = Promise.resolve({ title: 'Checked' });
    const ask = async () => ({
      title: 'Checking',
      actions: [{ label: 'Again', command: 'market' }],
      later: whole,
    });
    const g = await inGroup({}, { ask });
    g.telegram.say('/market', { chatId: group });
    const question = await shown(g, 1);
    await waitFor(() => question.edits, 1);
    g.telegram.press(
      { ...question, keyboard: [[{ text: 'Again', callback_data: '>market' }]] },
      '>market',
      bob,
    );
    const answer = await shown(g, 2);
    await waitFor(() => answer.edits, 1);
    expect(seenBy(g)).toEqual(['all', 'all']);
  });

  it('is plain even if the chat has chosen rich messages, because older servers would show a rich one to all', async () => {
    const g = await inGroup();
    g.telegram.say('/settings messages=rich', { chatId: group });
    await shown(g, 1);
    g.telegram.say('/funding', { chatId: group });
    const question = await shown(g, 2);
    g.telegram.press(question, anyButton(question), bob);
    const answer = await shown(g, 3);
    expect(seenBy(g)).toEqual(['all', 'all', bob.id]);
    expect([question, answer].map(({ rich }) => rich !== undefined)).toEqual([true, false]);
  });

  it('is a normal message in private', async () => {
    const telegram = await double();
    await platform(telegram);
    telegram.say('/funding');
    await waitFor(() => telegram.messages.length, 1);
    const [question] = telegram.messages;
    if (question === undefined) throw new Error('no message');
    telegram.press(question, anyButton(question));
    await waitFor(() => telegram.messages.length, 2);
    expect(telegram.messages.map(({ aside }) => aside)).toEqual([undefined, undefined]);
    expect(telegram.refusals(400)).toBe(0);
  });
});

describe('an error in a group', () => {
  it('is visible only to the person who asked, if the bot is an administrator', async () => {
    const g = await inGroup({}, { botIs: 'administrator' });
    g.telegram.say('/coin nonsense', { chatId: group, user: bob });
    await shown(g, 1);
    g.telegram.say('/market', { chatId: group, user: bob });
    await shown(g, 2);
    expect(seenBy(g)).toEqual([bob.id, 'all']);
  });

  it('is visible to all if it is none, which is found out once', async () => {
    const g = await inGroup();
    for (const [index, market] of ['nonsense', 'neither'].entries()) {
      g.telegram.say(`/coin ${market}`, { chatId: group, user: bob });
      await shown(g, index + 1);
    }
    expect(seenBy(g)).toEqual(['all', 'all']);
    expect(g.telegram.refusals(400)).toBe(1);
  });

  it('is visible to all if the person cannot be identified, as an anonymous administrator', async () => {
    const g = await inGroup({}, { botIs: 'administrator' });
    const extra = { sender_chat: { id: group, type: 'supergroup' } };
    g.telegram.say('/coin nonsense', { chatId: group, extra });
    await shown(g, 1);
    expect(seenBy(g)).toEqual(['all']);
  });
});
