import { UserError } from '../../language/errors.ts';
import { msg } from '../../language/text.ts';
import type { CommandContext } from '../../shell/command.ts';
import type { Author, CommandStore } from '../../store/store.ts';

export const author = ({ caller, now }: Pick<CommandContext, 'caller' | 'now'>): Author => ({
  receiver: caller.receiver,
  who: caller.user,
  person: caller.person ?? null,
  at: now,
});

/** A name may be another's tomorrow: what is kept of who made something is who the platform proves it was. */
export const makerOf = ({ person, user }: CommandContext['caller']): string => person ?? user;

/** Before anything is done that others see. Throws UserError. */
export function mustManage({ rights }: CommandContext['caller']): void {
  if (rights.has('manage')) return;
  throw new UserError(msg('Only those who manage this chat may change its settings.'));
}

/** The one way in which commands change what a place has: by those who manage it, and on record. */
export function change<Result>(
  context: Pick<CommandContext, 'store' | 'caller' | 'now'>,
  work: Parameters<CommandStore['change']>[1] extends (...given: infer Given) => unknown
    ? (...given: Given) => Promise<Result>
    : never,
): Promise<Result> {
  mustManage(context.caller);
  return context.store.change(author(context), work);
}
