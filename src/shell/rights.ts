import { UserError } from '../language/errors.ts';
import { msg, type Text } from '../language/text.ts';
import type { Caller, Command } from './command.ts';

/**
 * What may be done, in one list for all who ask: a platform says which of these its caller has, and each command, like
 * each operation of the HTTP API, takes one.
 *
 * - read: look at what a place has, over the HTTP API.
 * - ask: questions, which change nothing.
 * - own: commands that change something for whoever gives them. What of it is the place's takes `manage` as well.
 * - manage: whatever changes the place.
 * - operate: what concerns the whole bot. The configuration alone gives it, to persons (`operators`).
 */
export type Right = 'read' | 'ask' | 'own' | 'manage' | 'operate';
export type Rights = ReadonlySet<Right>;

/** Who may look and ask, and change nothing. */
export const onlooker: Rights = new Set(['read', 'ask']);
/** Everyone in a chat. */
export const member: Rights = new Set([...onlooker, 'own']);
/** Those of them who manage it. */
export const manager: Rights = new Set([...member, 'manage']);

const rightTaken = ({ takes }: Pick<Command, 'takes'>): Right => takes ?? 'ask';

export const mayGive = (command: Pick<Command, 'takes'>, { rights }: Pick<Caller, 'rights'>): boolean =>
  rights.has(rightTaken(command));

/** Whether it changes nothing, whoever asks. */
export const isQuestion = (command: Pick<Command, 'takes'>): boolean => rightTaken(command) === 'ask';

/** Throws UserError where the caller has not the right that the command takes. */
export function mustBeAllowed(command: Command, caller: Pick<Caller, 'rights'>): void {
  if (!mayGive(command, caller)) throw new UserError(refusal(command, caller));
}

function refusal({ name, takes, refusal }: Command, { rights }: Pick<Caller, 'rights'>): Text {
  if (!rights.has('own')) {
    return msg(
      '"{command}" changes something, and you may look and ask: sign in with the operator’s token.',
      {
        command: name,
      },
    );
  }
  if (takes === 'operate') return refusal ?? msg('Only the operator may use "{command}".', { command: name });
  return msg('"{command}" changes the settings of this chat: only those who manage it may do that.', {
    command: name,
  });
}
