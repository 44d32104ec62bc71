import { describe, expect, it, onTestFinished } from 'vitest';
import { openNotifier } from '#src/platforms/telegram/notifier.ts';
import { options } from '#src/platforms/telegram/options.ts';
import { createSignIn } from '#src/platforms/telegram/sign-in.ts';
import { wallClock } from '#src/runtime/clock.ts';
import { managerRights, memberRights } from '#src/shell/rights.ts';
import { notifierPorts } from '#test/support/ports.ts';
import { ada, bob, me, startTelegramDouble, token } from '#test/support/telegram/double.ts';
import {
  initData,
  keyOfApp,
  keyOfLogin,
  login,
  loginFragment,
  signed,
} from '#test/support/telegram/proofs.ts';

const at = Date.UTC(2026, 2, 14, 9, 30) / 1_000;
const returnTo = 'https://tocsin.example/sign-in/telegram';
const nothing = () => Promise.reject(new Error('nothing is asked'));
const signIn = createSignIn(options.parse({ token }), {
  api: { call: nothing },
  wall: { ...wallClock, now: () => at * 1_000 },
});
const finish = (query: string) => signIn.finish({ query, fragment: '', returnTo });
const person = `telegram:${ada.id}`;
const app = (more: Record<string, string> = {}, by = token) => initData({ by, at, more });

describe('a Mini App', () => {
  it('tells who opened it', () => {
    expect(signIn.inApp?.(app())).toMatchObject({ person, name: '@ada' });
    expect(signIn.inApp?.(app({ start_param: 'a=b&c' }))).toMatchObject({ person });
  });

  it.each([
    ['signed by another bot', app({}, `${token}x`)],
    ['signed as a login is', login({ at, more: { user: JSON.stringify(ada) } })],
    ['of another user than was signed', app().replace(`%22id%22%3A${ada.id}`, `%22id%22%3A${bob.id}`)],
    ['with a field that was added', `${app()}&chat_type=group`],
    ['with a field that was left out', app().replace('signature=x&', '')],
    ['with its user given twice', `user=${encodeURIComponent('{"id":8}')}&${app()}`],
    ['without its hash', app().replace(/&hash=.*/, '')],
    ['with an empty hash', app().replace(/hash=.*/, 'hash=')],
    ['with a hash of another length', `${app()}00`],
    ['five minutes old', app({ auth_date: String(at - 300) })],
    ['of the future', app({ auth_date: String(at + 61) })],
    ['of no time', app({ auth_date: '' })],
    ['of a time that is no number', app({ auth_date: '1e9' })],
    ['whose user is no JSON', app({ user: '{' })],
    ['whose user has no id', app({ user: '{"first_name":"Ann"}' })],
    ['longer than Telegram writes', app({ start_param: 'x'.repeat(5_000) })],
    ['empty', ''],
  ])('is refused if its data is %s', (_, text) => {
    expect(signIn.inApp?.(text)).toBeUndefined();
  });
});

describe('a login by Telegram', () => {
  it('tells who signs in', async () => {
    expect(await finish(login({ at }))).toMatchObject({ person, name: 'Ada (id 5001)' });
  });
  it.each([
    ['signed by another bot', signed({ id: '7', auth_date: String(at) }, keyOfLogin(`${token}x`))],
    ['signed as a Mini App is', signed({ id: '7', auth_date: String(at) }, keyOfApp())],
    ['of another user than was signed', login({ at }).replace(`id=${ada.id}`, `id=${bob.id}`)],
    ['five minutes old', login({ at: at - 300 })],
    ['of an id that is no whole number', login({ at, more: { id: '7.5' } })],
  ])('is refused if it is %s', async (_, text) => {
    expect(await finish(text)).toBeUndefined();
  });
});

describe('signing in by Telegram', () => {
  it('leads to Telegram’s own page, for this bot and this page alone', async () => {
    const { origin, pathname, searchParams } = new URL(await signIn.start({ returnTo, state: 's' }));
    expect(origin + pathname).toBe('https://oauth.telegram.org/auth');
    expect(Object.fromEntries(searchParams)).toEqual({
      bot_id: String(me.id),
      origin: 'https://tocsin.example',
      return_to: `${returnTo}?state=s`,
    });
  });

  it.each([
    ['in the query, after a button of the bot', { query: login({ at }), fragment: '' }],
    ['in the fragment, after its page', { query: '', fragment: loginFragment({ at }) }],
  ])('takes the proof %s', async (_, back) => {
    expect(await signIn.finish({ ...back, returnTo })).toMatchObject({ person });
  });

  it.each([
    '',
    'tgAuthResult=',
    'tgAuthResult=false',
    'tgAuthResult=e30',
    'tgAuthResult=WzFd',
    'tgAuthResult=bnVsbA',
  ])('takes nothing else: "%s"', async (fragment) => {
    expect(await signIn.finish({ query: '', fragment, returnTo })).toBeUndefined();
  });
});

describe('what somebody may do in a chat', () => {
  async function standing(
    members: Readonly<Record<number, string>>,
    given: { type?: 'channel'; id?: number } = {},
  ) {
    const double = await startTelegramDouble({ limits: null });
    const { id = -1_001, type } = given;
    double.chat({
      id,
      title: 'Traders',
      members: { [me.id]: 'administrator', ...members },
      ...(type && { type }),
    });
    const { signIn, close } = openNotifier(
      options.parse({ token, apiRoot: double.url, timeout: '5s' }),
      notifierPorts(),
    );
    onTestFinished(async () => {
      await close?.();
      await double.close();
    });
    return { double, ask: (chatId = String(id), who = person) => signIn?.standing(who, { chatId }) };
  }

  it.each([
    ['an administrator manages a group', { [ada.id]: 'administrator' }, {}, managerRights],
    ['its creator manages it', { [ada.id]: 'creator' }, {}, managerRights],
    ['a member asks there', { [ada.id]: 'member' }, {}, memberRights],
    ['who has left may nothing', { [ada.id]: 'left' }, {}, undefined],
    ['who was banned may nothing', { [ada.id]: 'kicked' }, {}, undefined],
    ['who was muted may nothing', { [ada.id]: 'restricted' }, {}, undefined],
    ['a stranger may nothing', {}, {}, undefined],
    [
      'an administrator manages a channel',
      { [ada.id]: 'administrator' },
      { type: 'channel' as const },
      managerRights,
    ],
    [
      'its readers may nothing: they cannot ask there either',
      { [ada.id]: 'member' },
      { type: 'channel' as const },
      undefined,
    ],
  ])('%s', async (_, members, more, rights) => {
    const { ask } = await standing(members, more);
    expect(await ask()).toEqual(rights && { name: 'Traders', rights });
  });

  it('is everything in one’s own chat with the bot, and nothing in another’s', async () => {
    const { ask, double } = await standing({});
    expect(await ask(String(ada.id))).toMatchObject({ rights: managerRights });
    expect(await ask(String(bob.id))).toBeUndefined();
    expect(double.calls).toEqual([]);
  });

  it('is nothing where the bot was removed, and not known while Telegram does not answer', async () => {
    const { ask, double } = await standing({ [ada.id]: 'administrator' });
    expect(await ask('-1002')).toBeUndefined();
    await double.close();
    await expect(ask()).rejects.toThrow('Telegram does not answer');
  });
});
