import { z } from 'zod';

/**
 * Names a message for later: `p` before the id of a photo, which has a caption to edit and no text. A text
 * and a rich message are edited alike, and each may become the other.
 */
export type Reference = string;

const photo = z.array(z.object({ file_id: z.string() })).optional();

/** What the Bot API answers to a post. */
export const message = z.object({
  message_id: z.int(),
  photo,
  rich_message: z.object({ blocks: z.array(z.object({ photo })).optional() }).optional(),
});

export const referenceOf = ({ message_id, photo }: z.output<typeof message>): Reference =>
  `${photo === undefined ? '' : 'p'}${message_id}`;

export const readReference = (reference: Reference): { isPhoto: boolean; messageId: number } => ({
  isPhoto: reference.startsWith('p'),
  messageId: Number(reference.replace(/^p/, '')),
});
