import { describe, expect, it } from 'vitest';
import { ada } from '#test/support/telegram/double.ts';
import { double, group, hears, inGroup, platform, waitFor } from './fixture.ts';

describe('settings as a file', () => {
  const file = '{"tocsin":1,"subscriptions":[{"kinds":["funding-extreme"]}]}';
  const kept = ({ store }: Awaited<ReturnType<typeof platform>>) => store.kept.subscriptions;
  const begun = async () => {
    const telegram = await double();
    telegram.chat({ id: ada.id });
    return { telegram, bot: await platform(telegram) };
  };

  it('are exported as a document, which can be imported by replying to it', async () => {
    const { telegram, bot } = await begun();
    telegram.say('/subscribe funding-extreme');
    await waitFor(() => kept(bot).length, 1);
    telegram.say('/export');
    await waitFor(() => telegram.messages.some(({ document }) => document !== undefined), true);
    const document = telegram.messages.find((each) => each.document !== undefined)?.document;
    const text = Buffer.from(telegram.files.get(document?.fileId ?? '') ?? []).toString();
    expect(JSON.parse(text)).toMatchObject({ subscriptions: [{ kinds: ['funding-extreme'] }] });
    const answered = { document: { file_id: document?.fileId, file_size: document?.bytes } };
    telegram.say('/import', { extra: { reply_to_message: answered } });
    await hears(telegram, ada.id, 'Preview of the import');
  });

  it.each([
    ['with the command as its caption', { caption: '/import confirm=yes' }, 'Imported', 1],
    ['in private without a word: shown first', {}, 'Preview of the import', 0],
    ['that is too large', { size: 1_000_001 }, 'an export at most 1,000', 0],
  ])('are imported by sending a document %s', async (_how, given, says, count) => {
    const { telegram, bot } = await begun();
    telegram.attach(file, given);
    await hears(telegram, ada.id, says);
    expect(kept(bot)).toHaveLength(count);
  });

  it('are not imported from a document in a group that does not address the bot', async () => {
    const { telegram, bot } = await inGroup();
    telegram.attach(file, { chatId: group });
    telegram.say('/market', { chatId: group });
    await waitFor(() => telegram.texts(group).length, 1);
    expect(bot.asked).toHaveLength(1);
  });

  it('need a file: the command without one says how to send it', async () => {
    const { telegram } = await begun();
    telegram.say('/import');
    await hears(telegram, ada.id, 'The file is missing');
  });
});
