import type { InlineQuery } from 'telegraf/types';
import { z } from 'zod';
import type { Card } from '../../card/card.ts';
import { beginning } from '../../card/plain.ts';
import { DeliveryError } from '../../language/errors.ts';
import { createPace } from '../../runtime/pace.ts';
import { second } from '../../runtime/units.ts';
import type { Caller } from '../../shell/command.ts';
import { viewerRights } from '../../shell/rights.ts';
import type { Ports } from '../ports.ts';
import { callerDetails, receiverOf } from './answers.ts';
import { maxText, renderTelegram } from './render.ts';
import type { ConversationOptions } from './run-question.ts';

/** Seconds for which Telegram may cache an answer. It sends a query for every letter that is typed. */
const cacheTime = 30;
/** The same for queries that match no market. Their answer is the same for everyone and depends on the list of markets only. */
const emptyCacheTime = 300;

/** Limits on all queries together and on those of one person; faster queries wait for their turn. */
const limits = { total: { per: second, max: 10 }, perAddress: [{ per: second, max: 1 }] };

/** Creates the handler of inline queries such as `@bot btc`: it offers a card that can be posted where the bot is no member. */
export function createInlineHandler({ ports, api, stopping }: ConversationOptions) {
  const pace = createPace(limits, { now: ports.steady.now, sleep: ports.wall.sleep });
  /** Users whose query waits for a turn. A newer query cancels the older one of the same user: only the last is answered. */
  const waitingByUser = new Map<number, AbortController>();

  async function takeTurn(userId: number): Promise<boolean> {
    const superseded = new AbortController();
    waitingByUser.get(userId)?.abort();
    waitingByUser.set(userId, superseded);
    try {
      await pace.take(String(userId), {
        lane: 'answer',
        signal: AbortSignal.any([superseded.signal, stopping]),
      });
      return true;
    } catch {
      return false;
    } finally {
      if (waitingByUser.get(userId) === superseded) waitingByUser.delete(userId);
    }
  }

  return async ({ id, from, query }: InlineQuery): Promise<void> => {
    if (!(await takeTurn(from.id))) return;
    const receiver = receiverOf({ chatId: String(from.id) });
    const caller = {
      ...callerDetails(receiver, from),
      user: 'inline',
      rights: viewerRights,
      readByOthers: true,
    };
    const lines = await linesFor(query, { ...ports, caller });
    const answers = await Promise.all(lines.map((line) => ports.ask(line, caller)));
    const results = answers.flatMap((given, index) =>
      given.failure === undefined ? [article(`${index}`, given, ports.pictures?.publish(given))] : [],
    );
    const answer =
      results.length === 0
        ? { results, cache_time: emptyCacheTime }
        : { results, cache_time: cacheTime, is_personal: true };
    try {
      const payload = { inline_query_id: id, ...answer };
      await api.call('answerInlineQuery', { payload, result: z.unknown(), signal: stopping });
    } catch (error) {
      // The user has typed on meanwhile.
      if (!(error instanceof DeliveryError)) throw error;
      ports.log.debug({ err: error }, 'could not answer an inline query');
    }
  };
}

/** What is asked about the market that a query names, and about all markets where it names none. */
const questions = { ofMarket: ['coin', 'funding', 'levels'], ofAll: ['market', 'regime', 'brief'] };

/** Returns the command lines that a query means: few, because each letter typed is a query and each command takes requests. */
async function linesFor(
  query: string,
  { caller, complete, commands }: { readonly caller: Caller } & Ports,
): Promise<readonly string[]> {
  const offered = (names: readonly string[]) =>
    names.filter((name) => commands.some((command) => command.name === name));
  const text = beginning(query.trim(), 40);
  if (text === '') return offered(questions.ofAll);
  const named = text.replaceAll(/\s/g, '');
  const [best] = await complete(`coin symbol=${named}`, caller);
  // Of the markets that are listed and not followed none is completed: it is taken as it was typed.
  const symbol =
    best?.line.replace(/^coin symbol=/, '') ?? (/^[\p{L}\p{N}]+$/u.test(named) ? named : undefined);
  return symbol === undefined ? [] : offered(questions.ofMarket).map((name) => `${name} symbol=${symbol}`);
}

/** @param picture the address of the card's picture. Telegram fetches it when the card is posted, and shows it above. */
function article(id: string, card: Card<string>, picture: string | undefined) {
  const { html } = renderTelegram({ ...card, actions: [] }, { limit: maxText });
  return {
    type: 'article',
    id,
    title: beginning(card.title, 100) || '–',
    ...(card.summary !== undefined && { description: beginning(card.summary, 200) }),
    input_message_content: {
      message_text: html,
      parse_mode: 'HTML',
      link_preview_options:
        picture === undefined
          ? { is_disabled: true }
          : { url: picture, prefer_large_media: true, show_above_text: true },
    },
  };
}
