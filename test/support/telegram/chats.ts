import { BadRequest, Forbidden, Migrated } from './answers.ts';

import type { RichBlock } from './rich-html.ts';

export type ChatType = 'private' | 'group' | 'supergroup' | 'channel';

/** The bot's standing in a chat. */
export type Standing =
  | 'member'
  | 'restricted'
  | 'blocked'
  | 'deactivated'
  | 'never started'
  | 'kicked'
  | 'left'
  | 'deleted';

export interface Chat {
  readonly id: number;
  readonly type: ChatType;
  readonly title: string;
  readonly username?: string;
  readonly topics: Set<number>;
  /** Topics in which only administrators may post. */
  readonly closedTopics: Set<number>;
  /** Status by user id, in the words of getChatMember. */
  readonly members: Map<number, string>;
  standing: Standing;
  /** Whether members may send photos; the bot is a member like others. */
  takesPhotos: boolean;
  migratedTo: number | null;
}

export interface Message {
  readonly message_id: number;
  /** Unix time, seconds. */
  readonly date: number;
  readonly chat: Chat;
  readonly thread: number | undefined;
  readonly silent: boolean;
  readonly replyTo: number | undefined;
  photo: { readonly fileId: string; readonly bytes: number } | undefined;
  document?: { readonly fileId: string; readonly bytes: number } | undefined;
  /** The text or caption: parsed, and (`html`) as it was sent. */
  text: string;
  html: string;
  /** The blocks of a rich message. */
  rich?: readonly RichBlock[] | undefined;
  entities: readonly { readonly type: string; readonly unixTime?: number }[];
  keyboard: readonly (readonly {
    readonly text: string;
    readonly callback_data?: string;
    readonly url?: string;
    readonly style?: string;
  }[])[];
  edits: number;
  /** Set for a message that only one person sees. */
  readonly aside?: { readonly userId: number; readonly id: number };
}

const kind = ({ type }: Chat): string => (type === 'supergroup' ? 'supergroup' : type);

/** Returns the chat if the bot may post in it. Throws Telegram's error otherwise. */
export function postable(chat: Chat | undefined): Chat {
  if (chat === undefined) throw new BadRequest('chat not found');
  if (chat.migratedTo !== null) throw new Migrated(chat.migratedTo);
  switch (chat.standing) {
    case 'blocked':
      throw new Forbidden('bot was blocked by the user');
    case 'deactivated':
      throw new Forbidden('user is deactivated');
    case 'never started':
      throw new Forbidden("bot can't initiate conversation with a user");
    case 'kicked':
      throw new Forbidden(`bot was kicked from the ${kind(chat)} chat`);
    case 'left':
      throw new Forbidden(`bot is not a member of the ${kind(chat)} chat`);
    case 'deleted':
      throw new Forbidden('the group chat was deleted');
    case 'restricted':
      throw new BadRequest('not enough rights to send text messages to the chat');
    case 'member':
      return chat;
  }
}

/** The chat as updates and responses contain it. */
export const chatJson = ({ id, type, title, username }: Chat) => ({
  id,
  type,
  ...(type === 'private' ? { first_name: title } : { title }),
  ...(username !== undefined && { username }),
});
