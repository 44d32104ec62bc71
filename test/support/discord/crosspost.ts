import type { Reply, Route } from './routes.ts';
import type { StoredMessage, World } from './world.ts';

/**
 * Message flags. CROSSPOSTED: the message was published to the followers; IS_CROSSPOST: the message is a copy in a following
 * channel.
 */
const [crossposted, isCrosspost] = [1, 2];
const hour = 3_600_000;
/** How many messages of a channel may be published, and how many edits a published message may get, per hour. */
const [mostPosts, mostEdits] = [10, 3];

const refuse = (status: number, code: number, message: string): Reply => ({
  status,
  body: { code, message },
});

/**
 * Creates the route that publishes messages of an announcement channel to the channels that follow it, and keeps the copies
 * equal to edited originals.
 */
export function createCrossposts({ channels, id }: World, now: () => number) {
  const posted = new Map<string, number[]>();
  const edited = new Map<string, number[]>();
  const copies = new Map<string, StoredMessage[]>();

  /** Counts one more event. Returns undefined if it is allowed, else a 429 with the time until it is. */
  const take = (
    times: Map<string, number[]>,
    { key, most, code }: { key: string; most: number; code?: number },
  ) => {
    const recent = (times.get(key) ?? []).filter((at) => at > now() - hour);
    const [first = 0] = recent;
    if (recent.length < most) {
      times.set(key, [...recent, now()]);
      return undefined;
    }
    const retry_after = (first + hour - now()) / 1_000;
    const message = 'You are being rate limited.';
    return {
      status: 429,
      body: { message, retry_after, global: false, ...(code !== undefined && { code }) },
    };
  };

  const route: Route = {
    method: 'POST',
    path: /^\/channels\/(\d+)\/messages\/(\d+)\/crosspost$/,
    bucket: 'crosspost',
    answer([channelId = '', messageId = '']) {
      const channel = channels.get(channelId);
      if (channel === undefined) return refuse(404, 10003, 'Unknown Channel');
      if (!channel.canView) return refuse(403, 50001, 'Missing Access');
      if (!channel.canSend) return refuse(403, 50013, 'Missing Permissions');
      if (channel.type !== 5) return refuse(400, 50024, 'Cannot execute action on this channel type');
      const message = channel.messages.find((each) => each.id === messageId);
      if (message === undefined) return refuse(404, 10008, 'Unknown Message');
      if ((message.flags & crossposted) !== 0)
        return refuse(400, 40033, 'This message has already been crossposted');
      const refused = take(posted, { key: channelId, most: mostPosts });
      if (refused !== undefined) return refused;
      message.flags |= crossposted;
      const followers = channel.followers.flatMap((each) => channels.get(each) ?? []);
      copies.set(
        messageId,
        followers.map((follower) => {
          const copy = { ...message, id: id(), channel_id: follower.id, flags: isCrosspost };
          follower.messages.push(copy);
          return copy;
        }),
      );
      const { pinged: _, ...shown } = message;
      return { status: 200, body: shown };
    },
  };

  return {
    route,
    /** Must be called before a message is edited. Returns a 429 if a published message was edited too often. */
    beforeEdit: ({ id: key, flags }: StoredMessage): Reply | undefined =>
      (flags & crossposted) === 0 ? undefined : take(edited, { key, most: mostEdits, code: 20_022 }),
    afterEdit({ id: key, content, embeds, components, attachments }: StoredMessage): void {
      for (const copy of copies.get(key) ?? [])
        Object.assign(copy, { content, embeds, components, attachments });
    },
  };
}
