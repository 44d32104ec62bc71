import { z } from 'zod';

/** Names a message for later: `p` before the id of a photo, which has a caption to edit and no text. */
export type Reference = string;

/** What the Bot API answers to a post. */
export const message = z.object({
  message_id: z.int(),
  photo: z.array(z.object({ file_id: z.string() })).optional(),
});

export const referenceOf = ({ message_id, photo }: z.output<typeof message>): Reference =>
  `${photo === undefined ? '' : 'p'}${message_id}`;

export const readReference = (reference: Reference): { isPhoto: boolean; messageId: number } => ({
  isPhoto: reference.startsWith('p'),
  messageId: Number(reference.replace(/^p/, '')),
});
