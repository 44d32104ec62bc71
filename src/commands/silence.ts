import { z } from 'zod';
import { change, makerOf } from '../command/change.ts';
import { muted, symbol, timeSpan } from '../command/input.ts';
import { matcherText, silenceText } from '../command/settings.ts';
import { time } from '../language/format.ts';
import { msg, typed } from '../language/text.ts';
import { UserError } from '../runtime/errors.ts';
import { defineCommand } from './command.ts';

const maxSilences = 50;

export default defineCommand({
  name: 'silence',
  otherNames: ['mute'],
  description: 'Mute alerts here for a while: of a kind, about a market, or all',
  settings: true,
  input: z.object({
    kind: muted.describe('Kind of alert, or one of your own; every kind where it is left out').optional(),
    symbol: symbol.describe('Market; every market where it is left out').optional(),
    for: timeSpan('1m', '30d').describe('For how long').prefault('4h'),
  }),
  async run({ kind, symbol, for: length }, context) {
    const { caller, now } = context;
    const silence = {
      kinds: [kind ?? '*'],
      symbols: [symbol ?? '*'],
      receiver: caller.receiver,
      startsAt: now,
      endsAt: now + length,
      createdBy: makerOf(caller),
    };
    const { id } = await change(context, async ({ silences }, record) => {
      const existing = await silences.of(caller.receiver, now);
      if (existing.length >= maxSilences) {
        throw new UserError(
          msg('This place has {count, number} silences, as many as it may. End one with "{end}".', {
            end: typed('unsilence'),
            count: existing.length,
          }),
        );
      }
      const added = await silences.add(silence);
      record(msg('silenced {id}: {what}', { id: added.id, what: silenceText(added) }));
      return added;
    });
    return {
      title: msg('Silenced'),
      summary: msg('Muted until {until}: {what}.', {
        until: time(silence.endsAt),
        what: matcherText(silence),
      }),
      facts: [{ name: msg('Id'), value: id }],
      actions: [{ label: msg('Undo'), command: `unsilence ${id}` }],
    };
  },
});
