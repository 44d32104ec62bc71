import { z } from 'zod';
import { type PostMark, readMark } from './mark.ts';
import type { RestAnswer } from './rest.ts';

/** A snowflake, as text: it is larger than a number holds exactly. */
export const snowflake = z.string().regex(/^\d{17,20}$/, 'an id of 17 to 20 digits, as Discord copies it');

/** SUPPRESS_NOTIFICATIONS: posted without a sound. */
const silent = 1 << 12;

/** Nobody is mentioned but the one role that is named, whatever the text holds. */
const mentions = (roles: readonly string[]) => ({ parse: [], roles, replied_user: false });

export interface MessageOptions {
  readonly message: object;
  readonly loud: boolean;
  /** Id of a role; what is none calls nobody. */
  readonly mention?: string | undefined;
  /** The message in the same channel that is answered; it need not be there any more. */
  readonly replyTo?: string | undefined;
}

export function messageBody({ message, loud, mention, replyTo }: MessageOptions): object {
  const role = snowflake.safeParse(mention).data;
  return {
    ...message,
    ...(role !== undefined && { content: `<@&${role}>` }),
    allowed_mentions: mentions(role === undefined ? [] : [role]),
    ...(!loud && { flags: silent }),
    ...(replyTo !== undefined && { message_reference: { message_id: replyTo, fail_if_not_exists: false } }),
  };
}

/** An edit notifies nobody, so it mentions nobody; what is not attached anew is taken off. */
export const editBody = (message: object): object => ({
  attachments: [],
  ...message,
  allowed_mentions: mentions([]),
});

/** Where a message is. As text, `<channel>/<message>`, it is the reference the pipeline keeps. */
export interface Whereabouts {
  readonly channel: string;
  readonly message: string;
}

export const writeReference = ({ channel, message }: Whereabouts): string => `${channel}/${message}`;

export function readReference(reference: string): Whereabouts {
  const [channel = '', message = ''] = reference.split('/');
  return { channel, message };
}

/** CROSSPOSTED: it has gone to those who follow its channel. */
const publishedFlag = 1;

const posted = z.object({
  id: snowflake,
  channel_id: snowflake,
  author: z.object({ bot: z.boolean().optional() }).optional(),
  components: z.unknown(),
  flags: z.int().default(0),
});
const postedList = z.array(posted);
const forumPost = z.object({ id: snowflake });
const activeThreads = z.object({
  threads: z.array(z.object({ id: snowflake, name: z.string(), parent_id: snowflake.nullish() })),
});

export interface FoundPost extends Whereabouts {
  readonly mark: PostMark | undefined;
  readonly published: boolean;
}

const found = ({ id, channel_id, components, flags }: z.output<typeof posted>): FoundPost => ({
  channel: channel_id,
  message: id,
  mark: readMark(components),
  published: (flags & publishedFlag) !== 0,
});

/** The message an answer holds; undefined where it holds none, as an answer cut short does. */
export function readPosted(answer: Extract<RestAnswer, { ok: true }>): FoundPost | undefined {
  const parsed = posted.safeParse(answer.json);
  return parsed.success ? found(parsed.data) : undefined;
}

/** Messages of bots in a channel, newest first. */
export function readMessages(answer: Extract<RestAnswer, { ok: true }>): FoundPost[] {
  const parsed = postedList.safeParse(answer.json);
  return parsed.success ? parsed.data.filter(({ author }) => author?.bot === true).map(found) : [];
}

/** The first message of a forum post has the post's own id. */
export function readForumPost(answer: Extract<RestAnswer, { ok: true }>): Whereabouts | undefined {
  const parsed = forumPost.safeParse(answer.json);
  return parsed.success ? { channel: parsed.data.id, message: parsed.data.id } : undefined;
}

/** The newest open post of a forum whose name ends with the key. */
export function findForumPost(
  answer: Extract<RestAnswer, { ok: true }>,
  { forum, key }: { readonly forum: string; readonly key: string },
): Whereabouts | undefined {
  const parsed = activeThreads.safeParse(answer.json);
  const thread = parsed.data?.threads.find(
    ({ name, parent_id }) => parent_id === forum && name.endsWith(`#${key}`),
  );
  return thread && { channel: thread.id, message: thread.id };
}
