import { endOf, type HookEntry, longestRun, type PriceCall } from '../alert/call.ts';
import { kindOfHook } from '../alert/hook.ts';
import { UserError } from '../language/errors.ts';
import { marketName, span, time } from '../language/format.ts';
import { msg, type Text } from '../language/text.ts';
import type { Author, CommandStore, DispatchUnit } from '../store/ports.ts';
import { makerOf } from './editing.ts';
import { maxOpenCalls } from './limits.ts';

/** Says what is called: `BTC long for 1 d`. */
export const callText = ({ symbol, side, horizon }: Pick<PriceCall, 'symbol' | 'side' | 'horizon'>): Text =>
  side === 'long'
    ? msg('{market} long for {span}', { market: marketName(symbol), span: span(horizon) })
    : msg('{market} short for {span}', { market: marketName(symbol), span: span(horizon) });

/**
 * Returns why a caller may not make this call; undefined if the caller may. A call can be neither changed nor taken back, and
 * a caller has one open call per market: otherwise only the calls that do well would count.
 * @param recent the calls of the place that may be open
 */
function refusalOf(call: Omit<PriceCall, 'id'>, recent: readonly PriceCall[]): UserError | undefined {
  const open = recent.filter((each) => each.createdBy === call.createdBy && endOf(each) > call.at);
  const same = open.find(({ symbol }) => symbol === call.symbol);
  if (same !== undefined)
    return new UserError(
      msg('Your call on {market} runs until {time}: make the next one then.', {
        market: marketName(call.symbol),
        time: time(endOf(same)),
      }),
      { code: 'conflict' },
    );
  return open.length < maxOpenCalls
    ? undefined
    : new UserError(
        msg('You have {count, number} open calls, which is the limit: wait until one ends.', {
          count: maxOpenCalls,
        }),
        { code: 'limit' },
      );
}

/** Stores a person's call. @throws UserError */
export const makeCall = (
  given: Pick<PriceCall, 'symbol' | 'side' | 'horizon'>,
  { store, author }: { readonly store: CommandStore; readonly author: Author },
): Promise<PriceCall> =>
  store.change(author, async ({ calls }, audit) => {
    const { receiver, at, who } = author;
    const call = { ...given, receiver, at, createdBy: makerOf(author), name: who };
    const refusal = refusalOf(call, await calls.of(receiver, at - longestRun));
    if (refusal !== undefined) throw refusal;
    audit(msg('called {what}', { what: callText(call) }));
    return calls.add(call);
  });

/** Stores the calls of hooks that make any. An entry that may not be a call is an alert alone. */
export async function makeHookCalls(
  entries: readonly HookEntry[],
  { hooks, calls }: Pick<DispatchUnit, 'hooks' | 'calls'>,
): Promise<void> {
  const byHook = Map.groupBy(entries, ({ hook }) => hook);
  for (const { id, receiver, name, calls: horizon } of await hooks.read([...byHook.keys()])) {
    const own = byHook.get(id) ?? [];
    if (horizon === null) continue;
    const recent = await calls.of(receiver, Math.min(...own.map(({ at }) => at)) - longestRun);
    for (const { symbol, side, at } of own) {
      const call = { receiver, symbol, side, at, horizon, createdBy: kindOfHook(id), name };
      if (refusalOf(call, recent) === undefined) recent.push(await calls.add(call));
    }
  }
}
