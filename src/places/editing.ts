import { type Hook, kindOfHook } from '../alert/hook.ts';
import { kindOfRule, type Rule, ruleName } from '../alert/rule.ts';
import type { KnownKinds, Receiver } from '../alert/subscription.ts';
import { UserError } from '../language/errors.ts';
import { listOf, msg, type Text } from '../language/text.ts';
import type { Author, CommandStore, PlaceStore } from '../store/ports.ts';
import { limits } from './limits.ts';

/** What every change of a place needs. Who may make it has been decided before. */
export interface Editing {
  readonly store: CommandStore;
  /** Who makes the change, where, and when. */
  readonly author: Author;
  /** Kinds of alerts that can be subscribed to. */
  readonly kinds: NonNullable<KnownKinds['kinds']>;
  /** Posts a test message to the place. Throws UserError with what keeps posts from arriving there. */
  post(): Promise<void>;
}

/** A change that is committed, with its words. */
export interface Done {
  readonly title: Text;
  readonly summary: Text;
}

/** One thing by its id, or all that the place has. */
export type Which = { readonly id: string | undefined } | 'all';

/**
 * Returns who made something, for storage: the person that the platform proves, if there is one. A name may belong to another
 * person later.
 */
export const makerOf = ({ person, who }: Pick<Author, 'person' | 'who'>): string => person ?? who;

/**
 * Makes sure that posts arrive where the first alerts are to come. A place that has subscriptions, rules or a sent post has
 * shown it before.
 */
export async function proveReach({ store, author: { receiver }, post }: Editing): Promise<void> {
  const [subscriptions, rules, deliveries] = await Promise.all([
    store.subscriptions.of(receiver),
    store.rules.of(receiver),
    store.deliveries.recent(receiver, 20),
  ]);
  const isProved = deliveries.some(({ outcome }) => outcome === 'sent');
  if (subscriptions.length + rules.length === 0 && !isProved) await post();
}

type Counted = keyof typeof limits & keyof PlaceStore;

/** Throws UserError if the place or its account has as many of these as it may have. Files are not counted. */
export async function requireRoom(
  what: Counted,
  existing: readonly (Named & { readonly file?: string })[],
  countOfAccount: () => Promise<number>,
): Promise<void> {
  const { chat, account = Number.POSITIVE_INFINITY }: { chat: number; account?: number } = limits[what];
  if (existing.filter(({ file }) => file === undefined).length >= chat)
    throw new UserError(
      msg(
        'This chat is at its limit of {count, number} {what, select, subscriptions {subscriptions} rules {own alerts} hooks {hooks} boards {boards} other {silences}}: end one first.',
        { count: chat, what },
      ),
      { code: 'limit' },
    );
  if (account < Number.POSITIVE_INFINITY && (await countOfAccount()) >= account)
    throw new UserError(
      msg(
        'This server or chat is at its limit of {count, number} {what, select, subscriptions {subscriptions} rules {own alerts} boards {boards} other {hooks}} across its channels or topics: end one first.',
        { count: account, what },
      ),
      { code: 'limit' },
    );
}

interface Named {
  readonly id: string;
}

/** What a person is told who names none of a place's things, or one that it does not have. */
interface Missing {
  readonly none: Text;
  /** There is none of this id. */
  readonly unknown: (id: string) => Text;
}

/** Returns the things that are meant, at least one. Throws UserError if there are none. */
export function findThings<Thing extends Named>(
  which: Which,
  existing: readonly Thing[],
  missing: Missing,
): readonly [Thing, ...Thing[]] {
  const id = which === 'all' ? undefined : which.id;
  if (existing.length === 0) throw new UserError(missing.none, { code: 'unknown' });
  const [first, ...others] = which === 'all' ? existing : existing.filter((each) => each.id === id);
  if (first !== undefined) return [first, ...others];
  const ids = listOf(existing.map((each) => each.id));
  if (id === undefined) throw new UserError(msg('Which one? There are: {ids}.', { ids }));
  const title = missing.unknown(id);
  throw new UserError(msg('Choose one of these: {ids}.', { ids }), { title, code: 'unknown' });
}

const changedByOperator: Text = msg('Whoever runs the bot changes it there.');

/** The error of a change of what a file has set. */
export const setByFile = (title: Text): UserError =>
  new UserError(changedByOperator, { title, code: 'conflict' });

/**
 * Returns the things that may be changed here, because no file has set them. Throws UserError if files have set all of
 * them.
 */
export function requireChangeable<Thing extends Named & { readonly file?: string }>(
  meant: readonly Thing[],
): readonly Thing[] {
  const own = meant.filter(({ file }) => file === undefined);
  const files = [...new Set(meant.flatMap(({ file }) => file ?? []))];
  if (own.length > 0 || files.length === 0) return own;
  throw setByFile(
    msg('{ids} {count, plural, one {is} other {are}} set by {files}', {
      ids: listOf(meant.map(({ id }) => id)),
      count: meant.length,
      files: listOf(files),
    }),
  );
}

/** Returns the names of a place's own alerts and hooks by the kinds of their alerts. */
export const ownNames = (rules: readonly Rule[], hooks: readonly Hook[]): ReadonlyMap<string, string> =>
  new Map([
    ...rules.map((rule) => [kindOfRule(rule.id), ruleName(rule)] as const),
    ...hooks.map(({ id, name }) => [kindOfHook(id), name] as const),
  ]);

/** Reads what kinds of alerts are called in the place. */
export async function readKnownKinds(
  receiver: Receiver,
  { store, kinds }: Pick<Editing, 'kinds'> & { readonly store: Pick<CommandStore, 'rules' | 'hooks'> },
): Promise<KnownKinds> {
  const [rules, hooks] = await Promise.all([store.rules.of(receiver), store.hooks.of(receiver)]);
  return { kinds, own: ownNames(rules, hooks) };
}
