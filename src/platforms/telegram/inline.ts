import type { InlineQuery } from 'telegraf/types';
import { z } from 'zod';
import type { Card } from '../../card/card.ts';
import { beginning } from '../../card/plain.ts';
import { DeliveryError } from '../../language/errors.ts';
import { createPace } from '../../pace/pace.ts';
import { second } from '../../runtime/units.ts';
import type { Caller } from '../../shell/command.ts';
import { onlooker } from '../../shell/rights.ts';
import { receiverOf } from './answers.ts';
import type { BotApi } from './bot-api.ts';
import { hint } from './hint.ts';
import type { TalkPorts } from './ports.ts';
import { maxText, renderTelegram } from './render.ts';

/** Seconds Telegram may give the same answer again: it is asked with every letter typed. */
const cacheTime = 30;
/** Likewise where nothing is meant, which changes with the markets alone and is the same for everyone. */
const nothingTime = 300;

/** Of one person and of all: what is typed faster than that is answered when its turn comes. */
const limits = { total: { per: second, max: 10 }, perAddress: [{ per: second, max: 1 }] };

export interface InlineOptions {
  readonly ports: TalkPorts;
  readonly api: Pick<BotApi, 'call'>;
  readonly stopping: AbortSignal;
}

/** `@bot btc`: a card about the market meant, to be posted where the bot itself is not. */
export function inlineAnswers({ ports, api, stopping }: InlineOptions) {
  const pace = createPace(limits, { now: ports.steady.now, sleep: ports.wall.sleep });
  /** Who waits for a turn: they have typed on as soon as they ask again, and only the last is answered. */
  const typing = new Map<number, AbortController>();

  async function turn(userId: number): Promise<boolean> {
    const typedOn = new AbortController();
    typing.get(userId)?.abort();
    typing.set(userId, typedOn);
    try {
      await pace.take(String(userId), {
        lane: 'answer',
        signal: AbortSignal.any([typedOn.signal, stopping]),
      });
      return true;
    } catch {
      return false;
    } finally {
      if (typing.get(userId) === typedOn) typing.delete(userId);
    }
  }

  return async ({ id, from, query }: InlineQuery): Promise<void> => {
    if (!(await turn(from.id))) return;
    const receiver = receiverOf({ chatId: String(from.id) });
    const caller = { ...hint(receiver, from), user: 'inline', rights: onlooker };
    const line = await meant(query, { ...ports, caller });
    const answer =
      line === undefined
        ? { results: [], cache_time: nothingTime }
        : {
            results: [article(line, await ports.ask(line, caller))],
            cache_time: cacheTime,
            is_personal: true,
          };
    try {
      const payload = { inline_query_id: id, ...answer };
      await api.call('answerInlineQuery', { payload, result: z.unknown(), signal: stopping });
    } catch (error) {
      // They have typed on meanwhile.
      if (!(error instanceof DeliveryError)) throw error;
      ports.log.debug({ err: error }, 'could not answer an inline query');
    }
  };
}

/** One question for each letter typed, as each costs of the budget. */
async function meant(
  query: string,
  { caller, complete, commands }: { readonly caller: Caller } & TalkPorts,
): Promise<string | undefined> {
  const offered = (name: string) => commands.some((command) => command.name === name);
  const text = beginning(query.trim(), 40);
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
    title: beginning(card.title, 100) || line,
    ...(card.summary !== undefined && { description: beginning(card.summary, 200) }),
    input_message_content: {
      message_text: html,
      parse_mode: 'HTML',
      link_preview_options: { is_disabled: true },
    },
  };
}
