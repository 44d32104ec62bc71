import type { Guild } from 'discord.js';
import { DeliveryError } from '../../language/errors.ts';
import type { WallClock } from '../../runtime/clock.ts';
import { openChannel, welcomeCard } from './greeting.ts';
import type { Guilds } from './guilds.ts';
import type { Notice } from './loss-notices.ts';
import { pauseAfter } from './retry.ts';

/**
 * Creates a function that greets a guild once. A guild is owed its greeting until it has arrived: through rate limits and
 * outages, in another channel if one refuses it, and over restarts. Where no channel may be posted in, that is until a start
 * at which one may.
 */
export function createGreetings({
  guilds,
  post,
  wall,
  signal,
}: {
  readonly guilds: Pick<Guilds, 'recordGreeted'>;
  readonly post: (channel: { readonly id: string }, notice: Notice) => Promise<void>;
  readonly wall: WallClock;
  readonly signal: AbortSignal;
}): (guild: Guild) => Promise<void> {
  const inProgress = new Set<string>();
  const pause = (ms: number) => wall.sleep(ms, signal).catch(() => {});

  const greet = async (guild: Guild): Promise<void> => {
    const refusing = new Set<string>();
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      const channel = openChannel(guild, refusing);
      if (channel === undefined) return;
      try {
        // The same id for every attempt: a repetition finds the first one's post.
        await post(channel, { card: welcomeCard, guild, id: `w${guild.id}` });
        return guilds.recordGreeted(guild.id);
      } catch (error) {
        if (!(error instanceof DeliveryError)) throw error;
        const { outcome } = error;
        if (outcome.kind === 'rate_limited') await pause(outcome.retryAfter);
        else if (outcome.kind === 'unavailable') await pause(pauseAfter(attempt));
        else refusing.add(channel.id);
      }
    }
  };

  return async (guild) => {
    if (inProgress.has(guild.id)) return;
    inProgress.add(guild.id);
    await greet(guild).finally(() => inProgress.delete(guild.id));
  };
}
