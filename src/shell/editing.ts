import { UserError } from '../language/errors.ts';
import { msg } from '../language/text.ts';
import type { Editing } from '../places/editing.ts';
import type { Choices } from '../places/preferences.ts';
import type { Author } from '../store/ports.ts';
import type { Caller, CommandContext } from './command.ts';

export const authorOf = ({ caller, now }: Pick<CommandContext, 'caller' | 'now'>): Author => ({
  receiver: caller.receiver,
  who: caller.user,
  person: caller.person ?? null,
  at: now,
});

/** Throws UserError if the caller may not manage the place. Called before anything is done that others see. */
export function mustManage({ rights }: Pick<Caller, 'rights'>): void {
  if (rights.has('manage')) return;
  throw new UserError(msg('Only those who manage this chat may change its settings.'), { code: 'forbidden' });
}

/** Returns what a change of the caller's place needs. Throws UserError if the caller may not manage it. */
export function editingOf(
  context: Pick<CommandContext, 'caller' | 'kinds' | 'now' | 'store' | 'tryPost'>,
): Editing {
  const { caller, kinds, store, tryPost } = context;
  mustManage(caller);
  return {
    store,
    kinds,
    author: authorOf(context),
    post: () =>
      tryPost(caller.receiver, {
        title: msg('Alerts will arrive here'),
        summary: msg('This is a test post: nothing has happened.'),
      }),
  };
}

/** Returns what can be chosen in the caller's place. */
export const choicesOf = ({
  readByPrograms,
  settings,
  rich,
}: Pick<CommandContext, 'readByPrograms' | 'settings' | 'rich'>): Choices => ({
  budget: readByPrograms ? undefined : settings.delivery.budget,
  rich: rich !== undefined,
});
