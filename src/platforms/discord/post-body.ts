import { z } from 'zod';
import { type PostMark, readMark } from './mark.ts';
import type { RestAnswer } from './rest.ts';

/** A Discord id (snowflake), as text: it is too large to be an exact number. */
export const snowflake = z.string().regex(/^\d{17,20}$/, 'an id of 17 to 20 digits, as Discord copies it');

/** SUPPRESS_NOTIFICATIONS: the message is posted without a sound. */
const silent = 1 << 12;

/** Allows mentions of the given roles only, whatever the text contains. */
const allowedMentions = (roles: readonly string[]) => ({ parse: [], roles, replied_user: false });

export interface MessageOptions {
  readonly message: object;
  readonly loud: boolean;
  /** The id of the role to mention. A value that is not an id mentions nobody. */
  readonly mention?: string | undefined;
  /** The message in the same channel to reply to; it may have been deleted. */
  readonly replyTo?: string | undefined;
}

export function messageBody({ message, loud, mention, replyTo }: MessageOptions): object {
  const role = snowflake.safeParse(mention).data;
  return {
    ...message,
    ...(role !== undefined && { content: `<@&${role}>` }),
    allowed_mentions: allowedMentions(role === undefined ? [] : [role]),
    ...(!loud && { flags: silent }),
    ...(replyTo !== undefined && { message_reference: { message_id: replyTo, fail_if_not_exists: false } }),
  };
}

/** Returns the body of an edit. It mentions nobody, because edits notify nobody, and drops attachments not sent again. */
export const editBody = (message: object): object => ({
  attachments: [],
  ...message,
  allowed_mentions: allowedMentions([]),
});

/** The channel and the id of a message. Written as `<channel>/<message>`, they are the reference that the pipeline keeps. */
export interface MessageLocation {
  readonly channel: string;
  readonly message: string;
}

export const writeReference = ({ channel, message }: MessageLocation): string => `${channel}/${message}`;

export function readReference(reference: string): MessageLocation {
  const [channel = '', message = ''] = reference.split('/');
  return { channel, message };
}

/** CROSSPOSTED: the message has been published to the channels that follow its channel. */
const publishedFlag = 1;

const posted = z.object({
  id: snowflake,
  channel_id: snowflake,
  author: z.object({ bot: z.boolean().optional() }).optional(),
  components: z.unknown(),
  flags: z.int().default(0),
  /** 0: a plain message; a thread begins with one of another type, which stands for the post that it was opened under. */
  type: z.int().default(0),
});
const postedList = z.array(posted);
const forumPost = z.object({ id: snowflake });
const activeThreads = z.object({
  threads: z.array(z.object({ id: snowflake, name: z.string(), parent_id: snowflake.nullish() })),
});

export interface FoundPost extends MessageLocation {
  readonly mark: PostMark | undefined;
  readonly published: boolean;
}

const foundPost = ({ id, channel_id, components, flags }: z.output<typeof posted>): FoundPost => ({
  channel: channel_id,
  message: id,
  mark: readMark(components),
  published: (flags & publishedFlag) !== 0,
});

/** Reads the message that a response contains; undefined if it contains none, for example because it was cut short. */
export function readPosted(answer: Extract<RestAnswer, { ok: true }>): FoundPost | undefined {
  const parsed = posted.safeParse(answer.json);
  return parsed.success ? foundPost(parsed.data) : undefined;
}

/** Reads the messages of bots from a list of a channel's messages, newest first. */
export function readMessages(answer: Extract<RestAnswer, { ok: true }>): FoundPost[] {
  const parsed = postedList.safeParse(answer.json);
  return parsed.success ? parsed.data.filter(({ author }) => author?.bot === true).map(foundPost) : [];
}

/** Counts the plain messages of bots in such a list. */
export function countPlain(answer: Extract<RestAnswer, { ok: true }>): number {
  const parsed = postedList.safeParse(answer.json);
  return (parsed.data ?? []).filter(({ author, type }) => author?.bot === true && type === 0).length;
}

/** Reads a forum post that was created. Its first message has the same id as the post. */
export function readForumPost(answer: Extract<RestAnswer, { ok: true }>): MessageLocation | undefined {
  const parsed = forumPost.safeParse(answer.json);
  return parsed.success ? { channel: parsed.data.id, message: parsed.data.id } : undefined;
}

/** Finds the newest open post of a forum whose name ends with the key. */
export function findForumPost(
  answer: Extract<RestAnswer, { ok: true }>,
  { forum, key }: { readonly forum: string; readonly key: string },
): MessageLocation | undefined {
  const parsed = activeThreads.safeParse(answer.json);
  const thread = parsed.data?.threads.find(
    ({ name, parent_id }) => parent_id === forum && name.endsWith(`#${key}`),
  );
  return thread && { channel: thread.id, message: thread.id };
}
