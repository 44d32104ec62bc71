import type { Hook } from '../alert/hook.ts';
import type { Rule } from '../alert/rule.ts';
import type { Subscription } from '../alert/subscription.ts';
import { UserError } from '../language/errors.ts';
import { msg } from '../language/text.ts';
import type { Editing } from './editing.ts';

interface Stopped {
  readonly subscriptions: readonly Subscription[];
  readonly rules: readonly Rule[];
  /** The files that go on setting something else. */
  readonly files: readonly string[];
  readonly hooks: readonly Hook[];
}

/** Pauses all that the place has subscribed to and its own alerts, or lets them come again. @throws UserError */
export async function pauseAll(paused: boolean, { store, author }: Editing): Promise<Stopped> {
  const { receiver } = author;
  const stopped = await store.change(author, async (places, audit) => {
    const other = <Thing extends { readonly paused: boolean }>(things: readonly Thing[]) =>
      things.filter((each) => each.paused !== paused);
    const isOwn = ({ file }: { readonly file?: string }) => file === undefined;
    const allSubscriptions = other(await places.subscriptions.of(receiver));
    const allRules = other(await places.rules.of(receiver));
    const subscriptions = allSubscriptions.filter(isOwn);
    const rules = allRules.filter(isOwn);
    for (const each of subscriptions) await places.subscriptions.update({ ...each, paused });
    for (const each of rules) await places.rules.update({ ...each, paused });
    if (subscriptions.length + rules.length > 0)
      audit(paused ? msg('stopped all alerts') : msg('let all alerts come again'));
    const files = new Set([...allSubscriptions, ...allRules].flatMap(({ file }) => file ?? []));
    return { subscriptions, rules, files: [...files], hooks: await places.hooks.of(receiver) };
  });
  const { subscriptions, rules, files, hooks } = stopped;
  if (subscriptions.length + rules.length + files.length + hooks.length > 0) return stopped;
  throw new UserError(
    paused
      ? msg('No alerts come here: nothing is subscribed, or all of it is paused.')
      : msg('Nothing is paused here.'),
    { code: 'conflict' },
  );
}
