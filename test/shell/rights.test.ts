import { describe, expect, it } from 'vitest';
import { isQuestion, memberRights, viewerRights } from '#src/shell/rights.ts';
import { ask, caller, commands } from '#test/support/commands.ts';
import { memoryStore } from '#test/support/memory-store.ts';

const named = (name: string) => commands.find((each) => each.name === name);
const answered = async (line: string, rights = memberRights) => {
  const { title, summary = '' } = await ask(line, { caller: { ...caller, rights }, store: memoryStore() });
  return `${title}. ${summary}`;
};

describe('a command that changes no settings does not say that it does', () => {
  it.each([
    ['audit', 'Only those who manage this chat can see the change log.'],
    ['test', 'Only those who manage this chat can post sample alerts here.'],
  ])('%s is refused to members for what it does', async (line, refusal) => {
    expect(await answered(line)).toContain(refusal);
    expect(await answered(`help ${line}`)).not.toContain('changes');
  });

  it('export gives members what they can ask for anyway, seen by the asker alone', async () => {
    expect(await answered('export')).toMatch(/^Export\. /);
    expect(named('export')).toMatchObject({ personal: true });
  });

  it('programs are told which commands only read', () => {
    expect(['audit', 'export', 'test', 'subscribe'].map((name) => isQuestion(named(name) ?? {}))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it.each(['audit', 'test', 'subscribe'])(
    '%s is refused to viewers without saying what is not so',
    async (line) => {
      expect(await answered(line, viewerRights)).toContain(
        `Here you may look and ask. For "${line}" sign in with the operator’s token.`,
      );
    },
  );
});

it('help lists for everyone what they may use', async () => {
  const rows = async (rights: typeof memberRights) =>
    (await ask('help', { caller: { ...caller, rights } })).table?.rows.map(([name]) => name?.split(' ')[0]);
  expect(await rows(memberRights)).not.toContain('subscribe');
  expect(await rows(caller.rights)).toContain('subscribe');
});
