import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Rule } from '#src/alert/rule.ts';
import type { Answered } from '#test/support/discord/interactions.ts';
import { embedOf, readyFixture } from '#test/support/discord/platform.ts';

let f: Awaited<ReturnType<typeof readyFixture>>;
beforeEach(async () => {
  f = await readyFixture();
});
afterEach(() => f.close());

const buttons = ({ message }: Answered) =>
  new Map(
    (message.components ?? []).flatMap(({ components }) =>
      components.flatMap((each) =>
        each.type === 2 && 'custom_id' in each ? [[each.label, each.custom_id] as const] : [],
      ),
    ),
  );
const button = (answered: Answered, label: string) => buttons(answered).get(label) ?? `no button ${label}`;
const kept = () => (f.context.store as unknown as { kept: { rules: Rule[] } }).kept.rules;
/** Returns the preset values of a form. */
const standing = ({ modal }: Answered) =>
  Object.fromEntries(
    (modal?.components ?? []).map(({ component }) => [
      component.custom_id,
      component.type === 4 ? component.value : component.options.find((each) => each.default === true)?.value,
    ]),
  );
const whole = { metric: 'funding.z', side: 'above', level: '2.5', symbols: 'btc eth', often: 'once' };

describe('the form for a new alert', () => {
  it('has five inputs, three of them menus, in the user’s language', async () => {
    const { modal, type } = await f.slash('alert new');
    expect(type).toBe(9);
    expect(modal?.title).toBe('New alert');
    expect(modal?.components.map(({ component: { custom_id, type } }) => `${custom_id} ${type}`)).toEqual([
      'metric 3',
      'side 3',
      'level 4',
      'symbols 4',
      'often 3',
    ]);
    const spanish = await f.slash('alert new', {}, { locale: 'es-ES' });
    expect(spanish.modal?.title).not.toBe(modal?.title);
    expect(f.asked).toEqual([]);
  });

  it('can also be opened by a button', async () => {
    const list = await f.slash('alert list');
    expect((await f.press(button(list, 'New alert'))).type).toBe(9);
  });

  it.each([
    ['that stands in the menu', 'oi.change1hPct'],
    ['that has no room in it', 'options.maxPain'],
  ])('starts with a metric %s if one is given', async (_what, metric) => {
    const form = await f.slash('alert new', { metric });
    expect(standing(form)).toMatchObject({ metric, side: 'above' });
    expect(form.modal?.components[0]?.component).toMatchObject({ options: { length: 25 } });
  });

  it('starts with all markets that are given, and shows where a list longer than any can be is cut', async () => {
    const symbolsFor = async (symbols: string) => standing(await f.slash('alert new', { symbols })).symbols;
    const longest = Array.from({ length: 100 }, (_, index) => `MARKET${index}USDT`).join(', ');
    expect(await symbolsFor(longest)).toBe(longest);
    expect(await symbolsFor('nope '.repeat(500))).toMatch(/^(nope )+nope…$/);
  });

  it('leads to a preview of past alerts, and a button there saves the alert', async () => {
    const answered = await f.submit(await f.slash('alert new'), whole);
    expect(answered.ephemeral).toBe(true);
    expect(embedOf(answered)?.title).toBe('Preview: nothing is saved');
    expect(kept()).toEqual([]);
    expect(embedOf(await f.press(button(answered, 'Save')))?.title).toBe('Alert created');
    expect(kept()).toMatchObject([
      { condition: 'funding.z > 2.5', symbols: ['BTCUSDT', 'ETHUSDT'], mode: 'once', hold: 0 },
    ]);
  });

  it('can be changed with all its earlier inputs', async () => {
    const filled = { ...whole, side: 'below', level: '-2', often: 'always 10m' };
    const answered = await f.submit(await f.slash('alert new'), filled);
    const again = await f.press(button(answered, 'Change'));
    expect(standing(again)).toEqual(filled);
    const [rest, changed] = [{ ...filled, level: '-3' }, await f.submit(again, { level: '-3' })];
    expect(standing(await f.press(button(changed, 'Change')))).toEqual(rest);
    await f.press(button(changed, 'Save'));
    expect(kept()).toMatchObject([{ condition: 'funding.z < -3', mode: 'always', hold: 600_000 }]);
  });

  it.each([
    ['no level', { level: 'much' }, 'give a number'],
    ['no market there is', { symbols: 'nope123' }, 'nope123'],
    ['no market at all', { symbols: '' }, 'Which markets?'],
    ['quotation marks and mark-up', { level: `"2' <@1>` }, 'give a number'],
    ['the longest there is', { symbols: 'nope '.repeat(360) }, 'at most 100 names'],
  ])(
    'with %s explains in words what is wrong, and keeps everything that was typed',
    async (_what, wrong, words) => {
      const filled = { ...whole, ...wrong };
      const answered = await f.submit(await f.slash('alert new'), filled);
      expect(answered.ephemeral).toBe(true);
      expect(`${embedOf(answered)?.title} ${embedOf(answered)?.description}`).toContain(words);
      expect(buttons(answered).has('Save')).toBe(false);
      const again = standing(await f.press(button(answered, 'Change')));
      const { symbols = '', level, ...picked } = filled;
      expect(again).toEqual({
        ...picked,
        level: level.replaceAll('"', "'"),
        symbols: symbols.trim() === '' ? undefined : symbols.trim(),
      });
      expect(kept()).toEqual([]);
    },
  );

  it('with many markets can be saved although its command does not fit a button, until it expires', async () => {
    const symbols = [...f.context.universe, ...f.context.universe].join(' ');
    const answered = await f.submit(await f.slash('alert new'), { ...whole, symbols });
    const save = button(answered, 'Save');
    expect(save).toMatch(/^l:/);
    expect(embedOf(await f.press('l:of-another-process-of-it'))?.title).toBe('This answer has expired');
    await f.press(save);
    expect(kept()).toMatchObject([{ symbols: f.context.universe }]);
  });

  it('is only for those who manage the chat, which is said before anything is typed', async () => {
    const refused = await f.slash('alert new', {}, { manages: false });
    expect(refused).toMatchObject({ type: 4, ephemeral: true });
    expect(embedOf(refused)?.description).toContain('Only those who manage this chat');
    const taken = await f.submit(await f.slash('alert new'), whole, { manages: false });
    expect(embedOf(taken)?.description).toContain('Only those who manage this chat');
  });

  it('of an earlier version gets a response', async () => {
    const form = await f.slash('alert new');
    const old = { ...form, modal: form.modal && { ...form.modal, custom_id: 'f:alert old' } };
    expect(await f.submit(old, whole)).toMatchObject({ type: 4, ephemeral: true });
  });
});
