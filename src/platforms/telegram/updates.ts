import type { Update } from 'telegraf/types';
import { z } from 'zod';

/** The kinds of updates that are requested from Telegram; conversation.ts handles them. */
export const allowedUpdates = [
  'message',
  'channel_post',
  'callback_query',
  'inline_query',
  'my_chat_member',
] as const;

const numbered = z.looseObject({ update_id: z.int() });

/** Accepts any object with an update id. The handlers look for the parts of an update that they need. */
export const updateSchema = z.custom<Update>((value) => numbered.safeParse(value).success, 'no update');
