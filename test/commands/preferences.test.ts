import { beforeEach, describe, expect, test } from 'vitest';
import type { Caller, CommandContext } from '#src/shell/command.ts';
import { memberRights } from '#src/shell/rights.ts';
import type { Store } from '#src/store/ports.ts';
import { addresses } from '#test/support/addresses.ts';
import { ask as asking, caller } from '#test/support/commands.ts';
import { ownStore } from '#test/support/own-store.ts';

let store: Store;
beforeEach(async () => {
  store = await ownStore('file::memory:', { addresses });
});

const ask = (line: string, over: Partial<CommandContext> = {}) => asking(line, { store, ...over });
const ada: Caller = { ...caller, person: 'web:1' };
const guest: Caller = { ...caller, person: 'web:2', user: 'eve', rights: memberRights };
const readerFor = async (who: Caller) => (await ask('help', { caller: who })).reader;

describe('settings', () => {
  test.each<[string, string[], Caller, object]>([
    [
      'nothing chosen: as the platform hints',
      [],
      { ...ada, language: 'es' },
      { language: 'es', timeZone: 'UTC' },
    ],
    ['the place goes before the hint', ['settings zh'], { ...ada, language: 'es' }, { language: 'zh' }],
    [
      'a person goes before their place',
      ['settings zh zone=Asia/Tokyo', 'settings es whose=me'],
      ada,
      { language: 'es', timeZone: 'Asia/Tokyo' },
    ],
    ['what another person chose is theirs', ['settings es whose=me'], guest, { language: 'en' }],
    ['charts', ['settings theme=light'], ada, { theme: 'light' }],
    ['reset: as if nothing had been chosen', ['settings zh', 'settings reset=yes'], ada, { language: 'en' }],
    [
      'one that is answered elsewhere is not told as the place is',
      ['settings zh'],
      { ...ada, answeredElsewhere: true },
      { language: 'en' },
    ],
  ])('decide the reader’s language and time zone: %s', async (_, lines, who, expected) => {
    for (const line of lines) await ask(line, { caller: ada });
    expect(await readerFor(who)).toMatchObject(expected);
  });

  test('are answered in the newly chosen language, and shown', async () => {
    const card = await ask('settings language=es zone=berlin', { caller: ada });
    expect(card.reader).toEqual({ language: 'es', timeZone: 'Europe/Berlin' });
    expect(card.table?.rows.map(([, place]) => place)).toEqual([
      'Español',
      'Europe/Berlin',
      expect.any(String),
      'Máx. 8 mensajes al día; el resto, en un resumen diario',
    ]);
  });

  test('include how many posts a day may interrupt the chat, which one person cannot choose', async () => {
    const budgetOf = async (line: string) => (await ask(line, { caller: ada })).table?.rows.at(-1)?.[1];
    expect(await budgetOf('settings budget=3')).toBe('Max 3 posts a day, the rest as a daily summary');
    expect(await budgetOf('settings budget=none')).toBe('Any number of posts a day');
    expect(await store.preferences.of(caller.receiver)).toEqual({ budget: null });
    expect((await ask('settings budget=3 whose=me', { caller: ada })).summary).toContain('for the chat');
    expect((await ask('settings budget=many', { caller: ada })).summary).toContain('none');
    expect((await ask('settings reset=yes', { caller: ada })).table?.rows.at(-1)?.[1]).toContain('Max 8');
  });

  describe('choose rich messages', () => {
    const rich = 'Some apps show nothing of them.';
    const choose = (line: string, over: Partial<CommandContext> = {}) =>
      ask(line, { caller: ada, rich, ...over });
    const shownIn = ({ table }: Awaited<ReturnType<typeof ask>>) =>
      table?.rows.find(([name]) => name === 'Messages')?.[1];

    test('for the place, with a note before and after that some apps cannot show them', async () => {
      const before = await choose('settings');
      expect([shownIn(before), before.reader?.messages]).toEqual(['plain', undefined]);
      expect(before.actions?.at(-1)?.command).toBe('settings messages=rich');
      const after = await choose('settings messages=rich');
      expect([shownIn(after), after.reader?.messages]).toEqual(['rich', 'rich']);
      for (const { summary, plain } of [before, after]) {
        expect(summary).toContain(rich);
        // The answer must be plain: a user whose app cannot show it could not undo the setting.
        expect(plain).toBe(true);
      }
      expect((await choose('help')).reader?.messages).toBe('rich');
      expect(JSON.stringify(await store.audit.of(caller.receiver, 1))).toContain('Messages');
      // The samples show whether the apps here display rich messages.
      expect(after.actions?.slice(-2).map(({ command }) => command)).toEqual([
        'settings messages=plain',
        'test',
      ]);
      const back = await choose('settings messages=plain');
      expect([shownIn(back), back.reader?.messages]).toEqual(['plain', 'plain']);
    });

    test.each([
      ['one person does not', 'settings messages=rich whose=me', {}, 'for the chat'],
      ['who may not change the place does not', 'settings messages=rich', { caller: guest }, 'manage'],
      [
        'nor is it chosen where there are none',
        'settings messages=rich',
        { rich: undefined },
        'no rich messages',
      ],
    ])('%s', async (_, line, over, said) => {
      expect((await choose(line, over)).summary).toContain(said);
      expect(await store.preferences.of(caller.receiver)).toEqual({});
    });

    test('are exported, and imported only where rich messages exist', async () => {
      await choose('settings messages=rich');
      expect(shownIn(await ask('settings', { caller: ada }))).toBeUndefined();
      const json = (await choose('export')).file?.text;
      const there = { ...caller, receiver: { notifier: 'web', address: { room: 'there' } } };
      const importing = `import confirm=yes ${json}`;
      await ask(importing, { caller: there });
      expect(await store.preferences.of(there.receiver)).toEqual({});
      await ask(importing, { caller: there, rich });
      expect(await store.preferences.of(there.receiver)).toEqual({ messages: 'rich' });
      await ask('settings reset=yes', { caller: there });
      expect(await store.preferences.of(there.receiver)).toEqual({});
    });
  });

  test('of a place are changed by its managers and audited; one’s own by everyone, without audit', async () => {
    expect((await ask('settings es', { caller: guest })).summary).toContain('manage');
    await ask('settings es whose=me', { caller: guest });
    await ask('settings zh', { caller: ada });
    expect((await store.audit.of(caller.receiver, 9)).length).toBe(1);
    expect(await store.preferences.of('web:2')).toEqual({ language: 'es' });
    expect(await store.preferences.of(caller.receiver)).toEqual({ language: 'zh' });
  });

  test('of one person need a platform that can identify people', async () => {
    expect((await ask('settings es whose=me')).summary).toContain('no personal settings');
  });

  test('are deleted with the place, and one’s own with one’s name', async () => {
    await ask('settings zh', { caller: ada });
    await ask('settings es whose=me', { caller: ada });
    await ask('forget confirm=yes', { caller: ada });
    expect(await store.preferences.of(caller.receiver)).toEqual({});
    expect(await store.preferences.of('web:1')).toEqual({ language: 'es' });
    await ask('forget me confirm=yes', { caller: ada });
    expect(await store.preferences.of('web:1')).toEqual({});
  });

  test('move and end with their place', async () => {
    const to = { notifier: 'web', address: { room: 'there' } };
    await ask('settings zh theme=light');
    await store.preferences.set(to, { theme: 'dark' });
    await store.receivers.move(caller.receiver, to);
    expect(await store.preferences.of(to)).toEqual({ language: 'zh', theme: 'dark' });
    expect(await store.preferences.of(caller.receiver)).toEqual({});
    await store.receivers.end(to, { at: 0, reason: 'over' });
    expect(await store.preferences.of(to)).toEqual({});
  });

  test('of a place are exported and imported', async () => {
    await ask('settings es zone=Asia/Tokyo theme=light');
    const json = (await ask('export')).file?.text;
    const there = { ...caller, receiver: { notifier: 'web', address: { room: 'there' } } };
    await ask(`import confirm=yes ${json}`, { caller: there });
    expect(await store.preferences.of(there.receiver)).toEqual(await store.preferences.of(caller.receiver));
  });

  test('subscribing sets the language of the place once, to the language of the request', async () => {
    const spanish = { ...ada, language: 'es' } as const;
    await ask('subscribe funding', { caller: spanish });
    expect(await store.preferences.of(caller.receiver)).toEqual({ language: 'es' });
    await ask('subscribe oi language=zh', { caller: spanish });
    await ask('subscribe all', { caller: spanish });
    expect(await store.preferences.of(caller.receiver)).toEqual({ language: 'zh' });
  });
});
