import { UserError } from '../language/errors.ts';
import { msg, type Text } from '../language/text.ts';
import type { Caller, Command } from './command.ts';

/**
 * What callers may do. A platform says which of these rights its caller has; each command, and each operation of the HTTP
 * API, needs one of them.
 *
 * - read: to see what a place has, over the HTTP API.
 * - ask: to ask questions, which change nothing.
 * - own: to give commands that change something for the caller. What they change of the place needs `manage` as well.
 * - manage: to change the place.
 * - operate: to change what concerns the whole bot. Only the configuration gives this right, to persons (`operators`).
 */
export type Right = 'read' | 'ask' | 'own' | 'manage' | 'operate';
export type Rights = ReadonlySet<Right>;

/** The rights of people who may look and ask, and change nothing. */
export const viewerRights: Rights = new Set(['read', 'ask']);
/** The rights of everyone in a chat. */
export const memberRights: Rights = new Set([...viewerRights, 'own']);
/** The rights of those who manage the chat. */
export const managerRights: Rights = new Set([...memberRights, 'manage']);

/** The rights of the person who runs the bot, in a place of their own. */
export const operatorRights: Rights = new Set([...managerRights, 'operate']);

const rightNeeded = ({ takes }: Pick<Command, 'takes'>): Right => takes ?? 'ask';

export const mayRun = (command: Pick<Command, 'takes'>, { rights }: Pick<Caller, 'rights'>): boolean =>
  rights.has(rightNeeded(command));

/** Whether the command changes nothing. */
export const isQuestion = (command: Pick<Command, 'takes' | 'readOnly'>): boolean =>
  command.readOnly === true || rightNeeded(command) === 'ask';

/** Throws UserError if the caller does not have the right that the command needs. */
export function requireRight(command: Command, caller: Pick<Caller, 'rights'>): void {
  if (!mayRun(command, caller)) throw new UserError(refusalText(command, caller), { code: 'forbidden' });
}

function refusalText({ name, takes, refusal }: Command, { rights }: Pick<Caller, 'rights'>): Text {
  if (!rights.has('own')) {
    return msg('Here you may look and ask. For "{command}" sign in with the operator’s token.', {
      command: name,
    });
  }
  if (refusal !== undefined) return refusal;
  if (takes === 'operate') return msg('Only the operator may use "{command}".', { command: name });
  return msg('"{command}" changes the settings of this chat: only those who manage it may do that.', {
    command: name,
  });
}
