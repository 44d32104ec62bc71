import { code } from './failure.ts';
import type { MessageLocation } from './post-body.ts';
import type { DiscordPlace } from './posts.ts';
import type { RestAnswer } from './rest.ts';

/** Tells whether a message is in a post of the forum that is the place: each of these posts is a thread. */
export const isInForumPost = (
  { channel }: MessageLocation,
  { channelId, threadId = channelId }: DiscordPlace,
): boolean => channel !== threadId;

const closedCodes: readonly (number | undefined)[] = [
  code.unknownChannel,
  code.archivedThread,
  code.lockedThread,
];

/**
 * Tells whether a request was refused because the forum post that it is about was deleted, or closed and locked. That says
 * nothing about the forum and its other posts.
 */
export const isForumPostClosed = (
  answer: RestAnswer,
  { at, to }: { readonly at: MessageLocation | undefined; readonly to: DiscordPlace },
): boolean => !answer.ok && at !== undefined && isInForumPost(at, to) && closedCodes.includes(answer.code);
