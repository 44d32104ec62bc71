import { z } from 'zod';

/**
 * Identifies a message, so that it can be edited later: its id, with `p` before it if the message is a photo, which has a
 * caption and no text. Texts and rich messages are edited in the same way, and an edit may turn one into the other.
 */
export type Reference = string;

const photo = z.array(z.object({ file_id: z.string() })).optional();

/** The Bot API's response to a post. */
export const message = z.object({
  message_id: z.int(),
  photo,
  rich_message: z.object({ blocks: z.array(z.object({ photo })).optional() }).optional(),
});

export const referenceOf = ({ message_id, photo }: z.output<typeof message>): Reference =>
  photo === undefined ? String(message_id) : photoReference(message_id);

export const photoReference = (messageId: number): Reference => `p${messageId}`;

export const readReference = (reference: Reference): { isPhoto: boolean; messageId: number } => ({
  isPhoto: reference.startsWith('p'),
  messageId: Number(reference.replace(/^p/, '')),
});

/** The lowest id of a basic group; those of supergroups are lower (core.telegram.org/api/bots/ids). */
const lowestGroupId = -999_999_999_999;

/**
 * Returns the reference as the pipeline stores it, in a basic group with the chat: `57@-5`. When such a group becomes a
 * supergroup, its chat id changes and messages are counted anew, so the same message id may be that of another one there.
 */
export function referenceIn(chatId: string, reference: Reference): string {
  const id = Number(chatId);
  return id < 0 && id >= lowestGroupId ? `${reference}@${chatId}` : reference;
}

/** Returns the reference of a stored message of this chat; undefined if it is in the group that the chat was before. */
export function readIn(chatId: string, stored: string): Reference | undefined {
  const [reference, chat = chatId] = stored.split('@');
  return chat === chatId ? reference : undefined;
}

/** Returns whether two stored references are those of one message, which may have become a photo. */
export function isSameMessage(one: string, other: string): boolean {
  const [first = '', firstChat] = one.split('@');
  const [second = '', secondChat] = other.split('@');
  return firstChat === secondChat && readReference(first).messageId === readReference(second).messageId;
}
