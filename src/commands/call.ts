import { z } from 'zod';
import { countsFrom, endOf, type PriceCall } from '../alert/call.ts';
import { hookOfKind } from '../alert/hook.ts';
import type { Card } from '../card/card.ts';
import { UserError } from '../language/errors.ts';
import { count, share, time } from '../language/format.ts';
import { lines, msg, type Text, typed } from '../language/text.ts';
import { callText, makeCall } from '../places/calls.ts';
import type { CallerScore } from '../record/calls.ts';
import { enough } from '../record/score.ts';
import { day, parseDuration } from '../runtime/units.ts';
import { type CommandContext, defineCommand } from '../shell/command.ts';
import { authorOf } from '../shell/editing.ts';
import { symbol } from '../shell/input.ts';

export default defineCommand({
  name: 'call',
  topic: 'past',
  otherNames: ['calls'],
  description: msg('Call where a price goes, and see who is right more often than by chance'),
  takes: 'own',
  showsPlace: true,
  input: z.object({
    action: z.enum(['league', 'make', 'list']).default('league').describe('What to do'),
    symbol: symbol.describe('Market, e.g. BTCUSDT').optional(),
    side: z.enum(['long', 'short']).optional().describe('Long or short'),
    after: z.enum(['1h', '4h', '24h']).default('24h').describe('How long after'),
  }),
  actions: {
    league: { description: msg('Whose calls in this chat do better than usual') },
    make: {
      description: msg('Call where a price goes'),
      requiredInputs: ['symbol', 'side'],
      optionalInputs: ['after'],
    },
    list: { description: msg('The calls still open in this chat') },
  },
  async run({ action, symbol, side, after }, context) {
    const { store, caller, now } = context;
    if (action === 'make' || symbol !== undefined || side !== undefined) {
      if (symbol === undefined || side === undefined)
        throw new UserError(msg('Give market and side: {example}.', { example }));
      const given = { symbol, side, horizon: parseDuration(after) ?? day };
      return madeCard(await makeCall(given, { store, author: authorOf(context) }));
    }
    const calls = await store.calls.of(caller.receiver);
    if (calls.length === 0)
      return {
        title: msg('Calls in this chat'),
        summary: msg('None yet. Make one: {example}.', { example }),
      };
    return action === 'list' ? listCard(calls.filter((call) => endOf(call) > now)) : league(calls, context);
  },
});

const example = typed('call btc long 24h', 'call make symbol:btc side:long after:24h');

const callerOf = ({ createdBy, name }: PriceCall): Text =>
  hookOfKind(createdBy) === undefined ? name : msg('hook {name}', { name });

const madeCard = (call: PriceCall): Card => ({
  title: msg('Call noted'),
  summary: callText(call),
  facts: [
    { name: msg('Counts from'), value: time(countsFrom(call)) },
    { name: msg('Ends'), value: time(endOf(call)) },
  ],
  actions: [
    { label: msg('League'), command: 'call league' },
    { label: msg('Calls still open'), command: 'call list' },
  ],
});

const listCard = (open: readonly PriceCall[]): Card => ({
  title: msg('Calls still open'),
  summary: open.length === 0 ? msg('No call is open.') : undefined,
  table: {
    columns: [msg('Caller'), msg('Call'), msg('Counts from'), msg('Ends')],
    rows: open.map((call) => [callerOf(call), callText(call), time(countsFrom(call)), time(endOf(call))]),
  },
});

async function league(calls: readonly PriceCall[], { records }: CommandContext): Promise<Card> {
  const scores = await records.callers(calls);
  const names = new Map(calls.map((call) => [call.createdBy, callerOf(call)]));
  return {
    title: msg('League of calls'),
    summary: lines(
      msg(
        'A hit: the price went the called way, from the first full hour after the call on. Usual: how often it does so after hours as volatile.',
      ),
      msg(
        'An edge is said if more hits than usual are shown; of callers without one at most 1 in 20 ever reads so, however often you look. Below {calls} calls on {days} days nothing is concluded. Past moves, not a forecast.',
        { calls: count(enough.alerts), days: count(enough.days) },
      ),
    ),
    table: {
      columns: [msg('Caller'), msg('Judged'), msg('Still open'), msg('Hits (usual)'), msg('Edge')],
      rows: scores.map((score) => [
        names.get(score.caller) ?? '',
        count(score.n),
        count(score.open),
        hitsOf(score),
        score.edge ? msg('yes: more hits than usual') : msg('cannot tell yet'),
      ]),
    },
  };
}

const hitsOf = ({ n, hits, usual }: CallerScore): Text =>
  n === 0 ? '' : msg('{value} ({usual})', { value: share(hits), usual: share(usual) });
