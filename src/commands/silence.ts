import { type KnownKinds, mutedText } from '../alert/subscription.ts';
import type { Card } from '../card/card.ts';
import { span } from '../language/format.ts';
import { join, msg, type Text, typed } from '../language/text.ts';
import { readKnownKinds } from '../places/editing.ts';
import { createSilence } from '../places/silences.ts';
import { hour } from '../runtime/units.ts';
import { type CommandContext, defineCommand } from '../shell/command.ts';
import { editingOf } from '../shell/editing.ts';
import { silenceInput } from '../shell/place-inputs.ts';

export default defineCommand({
  name: 'silence',
  topic: 'alerts',
  otherNames: ['mute'],
  description: msg('Mute alerts here for a while: of a kind, about a market, or all'),
  takes: 'manage',
  input: silenceInput,
  async run({ kind, symbol, for: length }, context) {
    if (length === undefined) {
      return kind === undefined && symbol === undefined
        ? askWhat(context)
        : askHowLong({ kind, symbol }, await readKnownKinds(context.caller.receiver, context));
    }
    const matcher = { kinds: [kind ?? '*'], symbols: [symbol ?? '*'] };
    const { silence, before, title, summary } = await createSilence(
      { ...matcher, length },
      editingOf(context),
    );
    const label = before === null ? msg('Undo') : msg('End it');
    return { title, summary, actions: [{ label, command: `unsilence ${silence.id}` }] };
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
