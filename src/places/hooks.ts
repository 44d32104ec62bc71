import { type Severity, severities } from '../alert/alert.ts';
import { type Hook, type HookField, type HookTemplate, hookFields } from '../alert/hook.ts';
import { newLock } from '../hook/admit.ts';
import { maxWaiting } from '../hook/inbox.ts';
import { UserError } from '../language/errors.ts';
import { span } from '../language/format.ts';
import { type Reader, say } from '../language/say.ts';
import { msg, typed } from '../language/text.ts';
import { type Done, type Editing, findThings, makerOf, proveReach, requireRoom } from './editing.ts';

/** What is given of a hook. What is left out has its default. */
interface GivenHook extends Partial<Record<Exclude<HookField, 'name'>, string | undefined>> {
  readonly name?: string | undefined;
  /** The template of what tells one alert from another. */
  readonly alert?: string | undefined;
  /** How long an alert lasts that is not repeated, ms. */
  readonly for?: number | undefined;
  /** How long its calls run, ms; null: it makes none. */
  readonly calls?: number | null | undefined;
  readonly signed: boolean;
  /** The key of a sender that has one. */
  readonly key?: string | undefined;
}

const example = typed('hook create breakouts', 'hook create name:breakouts');

/** The form of an id: eight of these characters. */
const idPattern = /^[bcdfghjkmnpqrstvwxz2-6]{8}$/;

/** Checks the name of a hook: it must not look like an id, as a hook can be named by either. Throws UserError. */
function checkedName(name: string | undefined): string {
  if (name !== undefined && !idPattern.test(name)) return name;
  throw new UserError(
    name === undefined
      ? msg('Give it a name: {example}.', { example })
      : msg('That looks like an id. Give it a name: {example}.', { example }),
  );
}

const isSeverity = (text: string | undefined): text is Severity =>
  severities.some((severity) => severity === text);

/** Reads the given fields of a template. Throws UserError if a brace is not closed. */
function readTemplate({
  alert,
  severity,
  ...given
}: Omit<GivenHook, 'for' | 'signed' | 'key' | 'calls'>): HookTemplate {
  const templates = { ...given, name: alert, severity: isSeverity(severity) ? undefined : severity };
  const fields = hookFields.flatMap((field) => {
    const template = templates[field];
    if (template === undefined) return [];
    if (/[{}]/.test(template.replaceAll(/\{\{?[^{}]+\}\}?/g, '')))
      throw new UserError(
        msg('"{template}" has a brace without its other: write {example}.', {
          template,
          example: '{ticker}',
        }),
      );
    return [[field, template] as const];
  });
  return Object.fromEntries(fields);
}

/** Creates a hook. Its secret is nowhere else in clear. @throws UserError */
export async function createHook(
  { for: lasts, signed, key, calls, ...given }: GivenHook,
  editing: Editing,
): Promise<{ readonly hook: Hook; readonly secret: string }> {
  const { store, author } = editing;
  const newHook: Omit<Hook, 'id'> = {
    receiver: author.receiver,
    name: checkedName(given.name),
    template: readTemplate(given),
    severity: isSeverity(given.severity) ? given.severity : 'warning',
    lasts: lasts ?? null,
    signed: signed || key !== undefined,
    calls: calls ?? null,
    createdBy: makerOf(author),
    createdAt: author.at,
  };
  const { secret, lock } = newLock(newHook.signed, key);
  await proveReach(editing);
  const hook = await store.change(author, async ({ hooks }, audit) => {
    const { receiver, name } = newHook;
    const existing = await hooks.of(receiver);
    const same = existing.find((each) => each.name === name);
    if (same !== undefined)
      throw new UserError(
        msg('A hook of this chat has this name: {id}. Give another name.', { id: same.id }),
        { code: 'conflict' },
      );
    await requireRoom('hooks', existing, () => hooks.countOfAccount(receiver));
    const added = await hooks.add(newHook, lock);
    audit(msg('hook {id} created: {name}', { id: added.id, name }));
    return added;
  });
  return { hook, secret };
}

const missing = {
  none: msg('This chat has no hooks. Create one: {example}.', { example }),
  unknown: (id: string) => msg('No hook of this chat has the id "{id}"', { id }),
};

/** Finds a hook by its id or its name. Throws UserError if there is none. */
export function findHook(named: string | undefined, existing: readonly Hook[]): Hook {
  const byName = existing.find(({ name }) => name === named);
  const id = existing.some((hook) => hook.id === named) ? named : (byName?.id ?? named);
  return findThings({ id }, existing, missing)[0];
}

/** Puts a signal into the inbox as if the hook had received it, in the words of `reader`. @throws UserError */
export async function testHook(
  named: string | undefined,
  { store, author }: Editing,
  reader: Reader,
): Promise<Done> {
  const now = author.at;
  const { name } = await store.change(author, async ({ hooks }) => {
    const hook = findHook(named, await hooks.of(author.receiver));
    const signal = {
      ended: false,
      identity: { name: 'test' },
      severity: hook.severity,
      title: say(msg('Test of the hook “{name}”', { name: hook.name }), reader),
      text: say(msg('This is a test: nothing has happened.'), reader),
      facts: [],
      kept: false,
    };
    const received = { hook: hook.id, key: `test:${now}`, at: now, market: now, signals: [signal] };
    if ((await hooks.accept(received, { since: now, maxWaiting })) === 'full')
      throw new UserError(msg('Too many messages of this hook are waiting. Try again in a minute.'), {
        code: 'unready',
      });
    return hook;
  });
  return {
    title: msg('Test on its way'),
    summary: msg('It comes here as an alert of “{name}” within a few seconds and ends by itself.', { name }),
  };
}

/** Changes whether a hook's entries count as calls. Those that it has made stay, and are judged. @throws UserError */
export const editHook = (
  named: string | undefined,
  { calls }: Pick<Hook, 'calls'>,
  { store, author }: Editing,
): Promise<Hook> =>
  store.change(author, async ({ hooks }, audit) => {
    const hook = { ...findHook(named, await hooks.of(author.receiver)), calls };
    await hooks.update(hook);
    const { id, name } = hook;
    audit(
      calls === null
        ? msg('hook {id} makes no calls: {name}', { id, name })
        : msg('hook {id} makes calls for {span}: {name}', { id, name, span: span(calls) }),
    );
    return hook;
  });

/** Deletes a hook, after which its secret is void. @throws UserError */
export async function endHook(named: string | undefined, { store, author }: Editing): Promise<Done> {
  const { name } = await store.change(author, async ({ hooks }, audit) => {
    const hook = findHook(named, await hooks.of(author.receiver));
    await hooks.remove(hook.id, author.receiver);
    audit(msg('hook {id} deleted: {name}', { id: hook.id, name: hook.name }));
    return hook;
  });
  return {
    title: msg('Hook deleted'),
    summary: msg('“{name}” takes nothing any more, and its alerts end.', { name }),
  };
}
