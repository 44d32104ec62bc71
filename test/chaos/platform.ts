import { renderJson } from '#src/card/render-json.ts';
import { DeliveryError } from '#src/language/errors.ts';
import type { Connection, Notification } from '#src/platforms/notifier.ts';
import { isCalledOff } from '#src/runtime/departure.ts';
import { minute, second } from '#src/runtime/units.ts';
import type { FakeClock } from '#test/support/clock.ts';
import type { Arrival } from '../kill/verdict.ts';
import type { Life } from './life.ts';
import type { PlatformFault, PlatformName } from './plan.ts';

interface Post {
  readonly reference: string;
  readonly id: string;
  readonly room: string;
  readonly at: number;
  readonly sent: Sent;
  answered: boolean;
}

export interface Platform {
  readonly name: PlatformName;
  fault: PlatformFault | undefined;
  /**
   * Posts of an id that stood there already, by why: nobody had heard of the first; or somebody had, whose database took
   * nothing before another process had its role; or there is no why.
   */
  readonly doubles: {
    readonly id: string;
    readonly room: string;
    readonly why: 'unheard' | 'unkept' | undefined;
  }[];
  of(life: Life): Connection;
}

/** What is on the wire: who has sent it, and how often that had suffered and was cut off by then. */
interface Sent {
  readonly life: Life;
  readonly suffered: number;
  readonly cuts: number;
}
const sentBy = (life: Life): Sent => ({ life, suffered: life.suffered, cuts: life.cuts });

/** Whoever had sent it has died or stood still since: another may have sent the same meanwhile, or what is newer. */
const isLeft = ({ life, suffered }: Sent): boolean => life.suffered > suffered;

/** @param sent what comes after the post, which may have been sent before it */
const whyAgain = (post: Post, sent: Sent): Platform['doubles'][number]['why'] =>
  !post.answered || isLeft(post.sent) || isLeft(sent)
    ? 'unheard'
    : post.sent.life.cuts > post.sent.cuts
      ? 'unkept'
      : undefined;

/** Within which the same nonce is the same message. */
const nonceWindow = 5 * minute;

/**
 * Rooms that anyone may post to. Discord's tell what has arrived: by the nonce for minutes, later among their last messages.
 * Telegram's do not, and a webhook's know the key of what was tried before and are only ever posted to.
 * @param lost told when what was done is not heard of
 */
export function createPlatform(
  name: PlatformName,
  {
    real,
    random,
    arrived,
    lost,
  }: {
    readonly real: FakeClock;
    readonly random: () => number;
    readonly arrived: (arrival: Omit<Arrival, 'life'>) => void;
    readonly lost: () => void;
  },
): Platform {
  const posts: Post[] = [];
  const doubles: Platform['doubles'] = [];
  const platform: Platform = { name, fault: undefined, doubles, of };
  const remembers = name === 'discord';
  const keyOf = ({ id, version }: Notification) => (name === 'webhook' ? `${id}-${version}` : id);

  const reach = async (life: Life, signal: AbortSignal) => {
    await life.pass();
    if (isCalledOff(signal)) throw new DeliveryError({ kind: 'unavailable', accepted: 'no' }, 'called off');
    const { fault } = platform;
    if (fault === 'refuses') throw new DeliveryError({ kind: 'unavailable', accepted: 'no' }, '503');
    if (fault === 'busy') throw new DeliveryError({ kind: 'rate_limited', retryAfter: 3 * second }, '429');
    // On the wire: whatever becomes of who has sent it, it arrives.
    await real.sleep(fault === 'slow' ? random() * 15 * second : 20);
  };

  const answer = async (life: Life) => {
    if (platform.fault === 'deaf' && random() < 1 / 2) {
      lost();
      throw new DeliveryError({ kind: 'unavailable', accepted: 'unknown' }, 'no answer');
    }
    if (!life.runs) lost();
    await life.pass();
  };

  const arrive = (
    act: 'post' | 'edit',
    post: { room: string; key: string; card: Notification['card']; sent: Sent },
  ) => {
    const { room, key, card, sent } = post;
    const body = JSON.stringify(renderJson(card));
    const late = isLeft(sent);
    arrived({ notifier: name, receiver: room, key, body, late, ...(name !== 'webhook' && { act }) });
  };

  function of(life: Life): Connection {
    const find = async (id: string, room: string) =>
      posts.findLast((post) => post.id === id && post.room === room);
    return {
      async send(notification, { address, signal }) {
        const sent = sentBy(life);
        await reach(life, signal);
        const room = String(address.room);
        const { doubt, card } = notification;
        const id = keyOf(notification);
        const before = await find(id, room);
        const same = before !== undefined && (doubt || real.now() - before.at < nonceWindow);
        if (remembers && same) {
          if (doubt) arrive('edit', { room, key: id, card, sent });
          await answer(life);
          return before.reference;
        }
        if (before !== undefined) {
          doubles.push({ id, room, why: whyAgain(before, sent) });
        }
        const reference = `${name} ${posts.length}`;
        const post = { reference, id, room, at: real.now(), sent, answered: false };
        posts.push(post);
        arrive('post', { room, key: id, card, sent });
        await answer(life);
        post.answered = true;
        return reference;
      },
      ...(name !== 'webhook' &&
        ({
          async edit(reference, { notification: { card }, address, signal }) {
            const sent = sentBy(life);
            await reach(life, signal);
            const post = posts.find((each) => each.reference === reference);
            arrive('edit', { room: String(address.room), key: post?.id ?? '', card, sent });
            await answer(life);
            return reference;
          },
        } satisfies Partial<Connection>)),
      ...(remembers &&
        ({
          async find({ id }: Pick<Notification, 'id'>, { address, signal }) {
            await reach(life, signal);
            return (await find(id, String(address.room)))?.reference ?? null;
          },
        } satisfies Partial<Connection>)),
    };
  }

  return platform;
}
