import { createHash } from 'node:crypto';
import { z } from 'zod';
import { plainLine } from '../../card/plain.ts';
import { DeliveryError } from '../../language/errors.ts';
import { english, type Language, languages } from '../../language/languages.ts';
import { plainReader, say } from '../../language/say.ts';
import type { Command } from '../../shell/command.ts';
import { managerRights, mayRun, memberRights, type Rights } from '../../shell/rights.ts';
import type { Places, Ports } from '../ports.ts';
import type { BotApi } from './bot-api.ts';

const maxCommands = 100;
const maxDescription = 256;

/** Which commands are shown where: everyone may manage their private chat. The operator’s are typed without a menu. */
const scopes = [
  { scope: undefined, rights: memberRights },
  { scope: { type: 'all_private_chats' }, rights: managerRights },
  { scope: { type: 'all_chat_administrators' }, rights: managerRights },
] as const;

const menuOf = (
  commands: readonly Command[],
  { language, rights }: { readonly language: Language; readonly rights: Rights },
) =>
  commands
    .filter((command) => mayRun(command, { rights }))
    .map(({ name, description }) => ({
      command: name.replaceAll('-', '_').toLowerCase(),
      description: [...plainLine(say(description, { ...plainReader, language }))]
        .slice(0, maxDescription)
        .join(''),
    }))
    .filter(({ command, description }) => /^[a-z0-9_]{1,32}$/.test(command) && description !== '')
    .slice(0, maxCommands);

interface ForBot {
  /** What was published last is stored for each bot. */
  readonly botId: string;
  readonly signal: AbortSignal;
}

/**
 * Publishes the menus of commands for each scope in every language that has a two-letter code, and in English for all others. Sends nothing
 * if the menus have not changed since they were last sent.
 */
export async function publishMenus(
  api: Pick<BotApi, 'call'>,
  { commands, places }: Pick<Ports, 'commands'> & { readonly places: Pick<Places, 'recall' | 'remember'> },
  { botId, signal }: ForBot,
): Promise<void> {
  const name = `telegram menus of ${botId}`;
  const menus = scopes.flatMap(({ scope, rights }) =>
    languages
      .filter((language) => language === english || language.length === 2)
      .map((language) => ({
        commands: menuOf(commands, { language, rights }),
        scope,
        ...(language !== english && { language_code: language }),
      })),
  );
  const hash = createHash('sha256').update(JSON.stringify(menus)).digest('hex');
  if ((await places.recall(name)) === hash) return;
  for (const menu of menus) await api.call('setMyCommands', { payload: menu, result: z.unknown(), signal });
  await places.remember(name, hash);
}

/** Lets the menu button of private chats open the page, or again what it opened before; if that has changed. */
export async function publishMenuButton(
  api: Pick<BotApi, 'call'>,
  { page, places, log }: Pick<Ports, 'page' | 'places' | 'log'>,
  { botId, signal }: ForBot,
): Promise<void> {
  const name = `telegram page of ${botId}`;
  // Within Telegram the page is opened over TLS alone.
  const url = page?.startsWith('https:') ? `${page}/sign-in/telegram` : '';
  if (((await places.recall(name)) ?? '') === url) return;
  const menu_button =
    url === '' ? { type: 'default' } : { type: 'web_app', text: 'Tocsin', web_app: { url } };
  try {
    await api.call('setChatMenuButton', { payload: { menu_button }, result: z.unknown(), signal });
  } catch (error) {
    // An address that Telegram does not take keeps nobody from talking to the bot.
    if (!(error instanceof DeliveryError) || error.outcome.kind !== 'rejected') throw error;
    return log.warn({ err: error }, 'Telegram does not take http.url for its menu button');
  }
  await places.remember(name, url);
}
