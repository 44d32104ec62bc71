import { UserError } from '../../language/errors.ts';
import { msg } from '../../language/text.ts';
import type { CommandContext } from '../../shell/command.ts';
import type { Author, CommandStore } from '../../store/ports.ts';

export const author = ({ caller, now }: Pick<CommandContext, 'caller' | 'now'>): Author => ({
  receiver: caller.receiver,
  who: caller.user,
  person: caller.person ?? null,
  at: now,
});

/**
 * Returns who made something, for storage: the person that the platform proves, if there is one. A name may belong to another
 * person later.
 */
export const makerOf = ({ person, user }: CommandContext['caller']): string => person ?? user;

/** Throws UserError if the caller may not manage the place. Called before anything is done that others see. */
export function mustManage({ rights }: CommandContext['caller']): void {
  if (rights.has('manage')) return;
  throw new UserError(msg('Only those who manage this chat may change its settings.'));
}

/** Changes what a place has. All commands use this: it requires the right to manage the place, and records the change. */
export function change<Result>(
  context: Pick<CommandContext, 'store' | 'caller' | 'now'>,
  work: Parameters<CommandStore['change']>[1] extends (...given: infer Given) => unknown
    ? (...given: Given) => Promise<Result>
    : never,
): Promise<Result> {
  mustManage(context.caller);
  return context.store.change(author(context), work);
}
