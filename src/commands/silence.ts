import { z } from 'zod';
import { type KnownKinds, mutedText, muteSame } from '../alert/subscription.ts';
import type { Card } from '../card/card.ts';
import { UserError } from '../language/errors.ts';
import { span, time } from '../language/format.ts';
import { join, msg, type Text, typed } from '../language/text.ts';
import { hour } from '../runtime/units.ts';
import { type CommandContext, defineCommand } from '../shell/command.ts';
import { ownKind, symbol, timeSpan } from '../shell/input.ts';
import { readKnownKinds } from '../shell/own-things.ts';
import { change, makerOf } from './kit/change.ts';
import { silenceText } from './kit/settings.ts';

const maxSilences = 50;

export default defineCommand({
  name: 'silence',
  topic: 'alerts',
  otherNames: ['mute'],
  description: msg('Mute alerts here for a while: of a kind, about a market, or all'),
  takes: 'manage',
  input: z.object({
    kind: ownKind.describe('Kind of alert, or one of your own (default: every kind)').optional(),
    symbol: symbol.describe('Market (default: all markets)').optional(),
    for: timeSpan('1m', '30d').describe('For how long, e.g. 4h').optional(),
  }),
  async run({ kind, symbol, for: length }, context) {
    const { caller, now } = context;
    if (length === undefined) {
      return kind === undefined && symbol === undefined
        ? askWhat(context)
        : askHowLong({ kind, symbol }, await readKnownKinds(context));
    }
    const silence = {
      kinds: [kind ?? '*'],
      symbols: [symbol ?? '*'],
      receiver: caller.receiver,
      startsAt: now,
      endsAt: now + length,
      createdBy: makerOf(caller),
    };
    const known = await readKnownKinds(context);
    const { id, endsAt, before } = await change(context, async ({ silences }, record) => {
      const existing = await silences.of(caller.receiver, now);
      const same = existing.filter((each) => muteSame(each, silence)).sort((a, b) => b.endsAt - a.endsAt);
      const [before] = same;
      if (before !== undefined && before.endsAt >= silence.endsAt) return { ...before, before };
      if (before === undefined && existing.length >= maxSilences) {
        throw new UserError(
          msg('This chat is at its limit of {count, number} silences. End one with "{end}".', {
            end: typed('unsilence'),
            count: existing.length,
          }),
        );
      }
      for (const each of same) await silences.remove(each.id, caller.receiver);
      const added = await silences.add({ ...silence, startsAt: before?.startsAt ?? now });
      record(msg('silenced {id}: {what}', { id: added.id, what: silenceText(added, known) }));
      return { ...added, before };
    });
    const values = { what: mutedText(silence, known), until: time(endsAt) };
    return {
      title: msg('Silenced'),
      summary:
        before === undefined
          ? msg('Muted until {until}: {what}.', values)
          : before.endsAt === endsAt
            ? msg('{what} is already silent until {until}.', values)
            : msg('{what} is already silent until {before}; extended to {until}.', {
                ...values,
                before: time(before.endsAt),
              }),
      actions: [{ label: before === undefined ? msg('Undo') : msg('End it'), command: `unsilence ${id}` }],
    };
  },
});

/** How many of the firing alerts get a button. */
const maxButtons = 5;

/** Asks what to silence: offers the alerts that are firing, newest first, or everything. */
async function askWhat({ store, kinds }: CommandContext): Promise<Card> {
  const known = new Set(kinds.map(({ name }) => name));
  const firing = (await store.alerts.firing()).filter(({ labels }) => known.has(labels.kind));
  const lines = new Map(
    firing.map(({ labels: { kind, symbol } }) => {
      const about = symbol === undefined ? kind : `${kind} ${symbol}`;
      return [
        about,
        { label: mutedText({ kinds: [kind], symbols: [symbol ?? '*'] }), command: `silence ${about}` },
      ];
    }),
  );
  return {
    title: msg('Silence what?'),
    summary: msg('Name a kind of alert, a market, or both, and for how long: {example}.', {
      example: typed('silence funding btc 4h', 'silence kind:funding symbol:btc for:4h'),
    }),
    actions: [...[...lines.values()].slice(0, maxButtons), ...durationActions('silence', msg('Everything'))],
  };
}

function askHowLong(
  { kind, symbol }: { readonly kind: string | undefined; readonly symbol: string | undefined },
  known: KnownKinds,
): Card {
  const what = { kinds: [kind ?? '*'], symbols: [symbol ?? '*'] };
  const line = ['silence', kind, symbol].filter((part) => part !== undefined).join(' ');
  return {
    title: msg('Silence for how long?'),
    summary: mutedText(what, known),
    actions: [
      ...durationActions(line),
      // 30 days is the longest time of a silence.
      ...(kind === undefined || symbol === undefined
        ? []
        : [{ label: msg('Mute this kind'), command: `silence ${kind} 30d` }]),
    ],
  };
}

const durationActions = (line: string, what?: Text): NonNullable<Card['actions']> =>
  [1, 4, 24].map((hours) => {
    const length = span(hours * hour);
    return { label: what === undefined ? length : join([what, length], ' '), command: `${line} ${hours}h` };
  });
