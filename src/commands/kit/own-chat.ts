import type { CommandContext } from '../../shell/command.ts';
import { managerRights } from '../../shell/rights.ts';

/** Returns the context of the person's own chat with the bot, which the person manages. */
export async function inOwnChat<Context extends Pick<CommandContext, 'caller'>>(
  context: Context,
): Promise<Context> {
  const { direct, roleOf: _, pings: __, ...caller } = context.caller;
  if (direct === undefined) return context;
  const receiver = await direct();
  return { ...context, caller: { ...caller, receiver, rights: managerRights, answeredElsewhere: true } };
}
