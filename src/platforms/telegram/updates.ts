import type { Update } from 'telegraf/types';
import { z } from 'zod';

/** What is asked of Telegram, and heard in conversation.ts. */
export const allowedUpdates = [
  'message',
  'channel_post',
  'callback_query',
  'inline_query',
  'my_chat_member',
] as const;

const numbered = z.looseObject({ update_id: z.int() });

/** Anything with a number: what is in it is for the handlers to find, each of which looks at its own part. */
export const updateSchema = z.custom<Update>((value) => numbered.safeParse(value).success, 'no update');
