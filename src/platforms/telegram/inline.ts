import type { InlineQuery } from 'telegraf/types';
import { z } from 'zod';
import type { Card } from '../../card/card.ts';
import { maxText, renderTelegram } from '../../card/render-telegram.ts';
import type { Caller } from '../../commands/command.ts';
import { DeliveryError } from '../../runtime/errors.ts';
import type { BotApi } from '../../telegram/bot-api.ts';
import type { PlatformPorts } from '../platform.ts';
import { receiverOf } from './answers.ts';
import { hint } from './hint.ts';

/** Seconds Telegram may give the same answer again: it is asked with every letter typed. */
const cacheTime = 30;

/** `@bot btc`: a card about the market meant, to be posted where the bot itself is not. */
export async function answerInline(
  { id, from, query }: InlineQuery,
  { ports, api, stopping }: { ports: PlatformPorts; api: Pick<BotApi, 'call'>; stopping: AbortSignal },
): Promise<void> {
  const receiver = receiverOf({ chatId: String(from.id) });
  const caller = { ...hint(receiver, from), user: 'inline', manages: false };
  const line = await meant(query, caller, ports);
  const results = line === undefined ? [] : [article(line, await ports.ask(line, caller))];
  try {
    await api.call(
      'answerInlineQuery',
      { inline_query_id: id, results, cache_time: cacheTime, is_personal: true },
      { result: z.unknown(), signal: stopping },
    );
  } catch (error) {
    // They have typed on meanwhile.
    if (!(error instanceof DeliveryError)) throw error;
    ports.log.debug({ err: error }, 'an inline query was not answered');
  }
}

/** One question for each letter typed, as each costs of the budget. */
async function meant(
  query: string,
  caller: Caller,
  { complete, commands }: PlatformPorts,
): Promise<string | undefined> {
  const offered = (name: string) => commands.some((command) => command.name === name);
  const text = query.trim().slice(0, 40);
  if (text === '') return offered('market') ? 'market' : undefined;
  if (!offered('coin')) return undefined;
  const [best] = await complete(`coin symbol=${text.replaceAll(/\s/g, '')}`, caller);
  return best?.line;
}

function article(line: string, card: Card<string>) {
  const { html } = renderTelegram({ ...card, actions: [] }, { limit: maxText });
  return {
    type: 'article',
    id: 'best',
    title: card.title.slice(0, 100) || line,
    ...(card.summary !== undefined && { description: card.summary.slice(0, 200) }),
    input_message_content: {
      message_text: html,
      parse_mode: 'HTML',
      link_preview_options: { is_disabled: true },
    },
  };
}
