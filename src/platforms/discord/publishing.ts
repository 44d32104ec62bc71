import { RecentMap } from '../../runtime/recent-map.ts';
import { hour, minute, second } from '../../runtime/units.ts';
import type { NotifierPorts } from '../ports.ts';
import { code } from './failure.ts';
import type { MessageLocation } from './post-body.ts';
import type { DiscordPlace } from './posts.ts';
import type { Rest } from './rest.ts';

/** A post as Discord returns it. */
export interface PublishedPost extends MessageLocation {
  /** Whether the post has been published to the channels that follow its channel. */
  readonly published?: boolean | undefined;
}

/**
 * Publishes the posts of announcement channels to all channels that follow them. This takes one request per post: Discord
 * itself distributes the post and its later edits, outside the bot's limit of 50 requests a second. Callers do not wait
 * for it. A post that could not be published is tried again at its next edit.
 */
interface Publishing {
  publish(post: PublishedPost, to: DiscordPlace): void;
  close(): Promise<void>;
}

/** Limit on published posts: Discord allows 10 an hour per channel; this is slightly slower. */
export const publishLimit = {
  per: hour + 5 * second,
  max: 10,
  appliesTo: (place: string): boolean => place.endsWith('/publish'),
};
const placeOf = ({ channelId }: DiscordPlace): string => `${channelId}/publish`;

/** Returns the name under which a guild's announcement channels are stored. The value is their ids, separated by spaces. */
export const announcementsOf = (guildId: string): string => `discord announcements ${guildId}`;

/** A post that would have to wait longer than this is not published: it would be outdated. */
const maxWait = minute;
/** How long a guild's announcement channels are cached; a channel that becomes one is noticed after this time at the latest. */
const cacheLifetime = 5 * minute;
const maxGuilds = 10_000;

export function createPublishing(
  rest: Rest,
  { pace, recall, log, steady: clock }: NotifierPorts,
): Publishing {
  const channelsByGuild = new RecentMap<
    string,
    { readonly channels: readonly string[]; readonly until: number }
  >(maxGuilds);
  const inProgress = new Map<string, Promise<void>>();
  const stopping = new AbortController();
  const { signal } = stopping;

  const readAnnouncements = async (guildId: string): Promise<readonly string[]> => {
    const cached = channelsByGuild.get(guildId);
    if (cached !== undefined && cached.until > clock.now()) return cached.channels;
    const channels = ((await recall(announcementsOf(guildId))) ?? '').split(' ');
    channelsByGuild.set(guildId, { channels, until: clock.now() + cacheLifetime });
    return channels;
  };

  const publish = async ({ channel, message }: MessageLocation, to: DiscordPlace): Promise<void> => {
    const { channelId, guildId } = to;
    if (guildId === undefined || !(await readAnnouncements(guildId)).includes(channelId)) return;
    const place = placeOf(to);
    if (pace.wait(place, 'edit') > maxWait) {
      log.info(
        { channel },
        'Discord: ten posts of this channel were published within the hour; this one is not',
      );
      return;
    }
    await pace.take(place, { lane: 'edit', signal });
    const path = `/channels/${channel}/messages/${message}/crosspost`;
    const answer = await rest.ask({ method: 'POST', path, place, signal });
    if (answer.ok || answer.code === code.alreadyPublished) return;
    if (answer.code === code.wrongChannelType) channelsByGuild.delete(guildId);
    log.info({ channel, status: answer.status, code: answer.code }, 'Discord: a post could not be published');
  };

  return {
    publish({ published, ...post }, to) {
      const { channel, message } = post;
      if (published !== false || channel !== to.channelId || inProgress.has(message) || signal.aborted)
        return;
      const work = publish(post, to)
        .catch((error: unknown) => {
          if (!signal.aborted) log.debug({ err: error, channel }, 'could not publish a post');
        })
        .finally(() => inProgress.delete(message));
      inProgress.set(message, work);
    },
    async close() {
      stopping.abort(new Error('the notifier is closing'));
      await Promise.all(inProgress.values());
    },
  };
}
