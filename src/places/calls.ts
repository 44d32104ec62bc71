import { endOf, type PriceCall } from '../alert/call.ts';
import { UserError } from '../language/errors.ts';
import { marketName, span, time } from '../language/format.ts';
import { msg, type Text } from '../language/text.ts';
import type { Author, CommandStore } from '../store/ports.ts';
import { makerOf } from './editing.ts';
import { maxOpenCalls } from './limits.ts';

/** Says what is called: `BTC long for 1 d`. */
export const callText = ({ symbol, side, horizon }: Pick<PriceCall, 'symbol' | 'side' | 'horizon'>): Text =>
  side === 'long'
    ? msg('{market} long for {span}', { market: marketName(symbol), span: span(horizon) })
    : msg('{market} short for {span}', { market: marketName(symbol), span: span(horizon) });

/**
 * Stores a call. It can be neither changed nor taken back, and a person has one open call per market: otherwise only
 * the calls that do well would count.
 * @throws UserError
 */
export const makeCall = (
  given: Pick<PriceCall, 'symbol' | 'side' | 'horizon'>,
  { store, author }: { readonly store: CommandStore; readonly author: Author },
): Promise<PriceCall> =>
  store.change(author, async (places, audit) => {
    const createdBy = makerOf(author);
    const all = await places.calls.of(author.receiver);
    const open = all.filter((call) => call.createdBy === createdBy && endOf(call) > author.at);
    const same = open.find(({ symbol }) => symbol === given.symbol);
    if (same !== undefined)
      throw new UserError(
        msg('Your call on {market} runs until {time}: make the next one then.', {
          market: marketName(given.symbol),
          time: time(endOf(same)),
        }),
        { code: 'conflict' },
      );
    if (open.length >= maxOpenCalls)
      throw new UserError(
        msg('You have {count, number} open calls, which is the limit: wait until one ends.', {
          count: maxOpenCalls,
        }),
        { code: 'limit' },
      );
    const { receiver, at, who } = author;
    const call = await places.calls.add({ ...given, receiver, at, createdBy, name: who });
    audit(msg('called {what}', { what: callText(call) }));
    return call;
  });
