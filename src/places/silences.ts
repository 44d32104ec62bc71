import { type KnownKinds, type Matcher, mutedText, muteSame, type Silence } from '../alert/subscription.ts';
import { time } from '../language/format.ts';
import { lines, msg, type Text } from '../language/text.ts';
import {
  type Done,
  type Editing,
  findThings,
  makerOf,
  readKnownKinds,
  requireRoom,
  type Which,
} from './editing.ts';

interface Silenced extends Done {
  readonly silence: Silence;
  /** The silence of the same as it was before. Null if this one is new. */
  readonly before: Silence | null;
}

/** Mutes a kind, a market or everything for a length of time, ms. A silence of the same is extended, never shortened. */
export async function createSilence(
  { kinds, symbols, length }: Matcher & { readonly length: number },
  editing: Editing,
): Promise<Silenced> {
  const { store, author } = editing;
  const { receiver, at: now } = author;
  const matcher = { kinds, symbols };
  const endsAt = now + length;
  const known = await readKnownKinds(author.receiver, editing);
  const silenced = await store.change(author, async (places, audit) => {
    const { silences } = places;
    const existing = await silences.of(receiver, now);
    const before = existing.find((each) => muteSame(each, matcher)) ?? null;
    if (before !== null && before.endsAt >= endsAt) return { silence: before, before };
    if (before === null) await requireRoom('silences', existing, async () => 0);
    else await silences.remove(before.id, receiver);
    const startsAt = before?.startsAt ?? now;
    const by = { receiver, createdBy: makerOf(author) };
    const silence = await silences.add({ ...matcher, ...by, startsAt, endsAt });
    audit(msg('silenced {id}: {what}', { id: silence.id, what: silenceText(silence, known) }));
    return { silence, before };
  });
  return { ...silenced, title: msg('Silenced'), summary: silencedText(silenced, known) };
}

function silencedText({ silence, before }: Omit<Silenced, keyof Done>, known: KnownKinds): Text {
  const { endsAt } = silence;
  const values = { what: mutedText(silence, known), until: time(endsAt) };
  if (before === null) return msg('Muted until {until}: {what}.', values);
  return before.endsAt === endsAt
    ? msg('{what} is already silent until {until}.', values)
    : msg('{what} is already silent until {before}; extended to {until}.', {
        ...values,
        before: time(before.endsAt),
      });
}

const missing = {
  none: msg('Nothing is silenced here.'),
  unknown: (id: string) => msg('No silence here has the id "{id}"', { id }),
};

/** Ends one silence, or all of the place. @throws UserError */
export async function endSilences(which: Which, editing: Editing): Promise<Done> {
  const { store, author } = editing;
  const known = await readKnownKinds(author.receiver, editing);
  const { ended, left } = await store.change(author, async ({ silences }, audit) => {
    const own = await silences.of(author.receiver, author.at);
    const ended = findThings(which, own, missing);
    for (const each of ended) {
      await silences.remove(each.id, author.receiver);
      audit(msg('ended silence {id}: {what}', { id: each.id, what: mutedText(each, known) }));
    }
    return { ended, left: own.filter((each) => !ended.includes(each)) };
  });
  return {
    title: msg('{count, plural, one {Silence ended} other {# silences ended}}', { count: ended.length }),
    summary: lines(
      ...ended.map((each) => msg('Alerts are back: {what}.', { what: mutedText(each, known) })),
      ...left
        .filter((wider) => ended.some((each) => covers(wider, each)))
        .map((each) => msg('Still silent: {what}.', { what: silenceText(each, known) })),
    ),
  };
}

/** Whether the first silence mutes all that the second one does. */
const covers = (wider: Matcher, { kinds, symbols }: Matcher): boolean =>
  includesAll(wider.kinds, kinds) && includesAll(wider.symbols, symbols);

const includesAll = (wider: readonly string[], names: readonly string[]): boolean =>
  wider.includes('*') || names.every((name) => wider.includes(name));

export const silenceText = (silence: Silence, known: KnownKinds): Text =>
  msg('{what}, until {until}', { what: mutedText(silence, known), until: time(silence.endsAt) });
