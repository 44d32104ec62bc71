import { renderJson } from '#src/card/render-json.ts';
import { DeliveryError } from '#src/language/errors.ts';
import type { Connection, Notification } from '#src/platforms/notifier.ts';
import { isCalledOff } from '#src/runtime/departure.ts';
import { minute, second } from '#src/runtime/units.ts';
import type { FakeClock } from '#test/support/clock.ts';
import type { Arrival } from '../kill/verdict.ts';
import type { Life } from './life.ts';

export const platformFaults = ['refuses', 'deaf', 'slow', 'busy'] as const;
export type PlatformFault = (typeof platformFaults)[number];

interface Post {
  readonly reference: string;
  readonly id: string;
  readonly room: string;
  readonly at: number;
  readonly life: Life;
  readonly suffered: number;
  answered: boolean;
}

export interface Platform {
  fault: PlatformFault | undefined;
  readonly posts: readonly Post[];
  /** Posts of an id that stood there already; `excused`: nobody had heard of the first. */
  readonly doubles: { readonly id: string; readonly room: string; readonly excused: boolean }[];
  of(life: Life): Connection;
}

/** Its answer was lost, or whoever had sent it died or stood still before that could be kept. */
export const isUnheard = ({ answered, life, suffered }: Post): boolean =>
  !answered || life.suffered > suffered;

/** Within which the same nonce is the same message. */
const nonceWindow = 5 * minute;

/**
 * Rooms that anyone may post to. One that remembers tells what has arrived: by the nonce for minutes, later among its last
 * messages, as Discord does; one that does not is Telegram.
 * @param lost told when what was done is not heard of
 */
export function createPlatform(
  name: string,
  {
    real,
    random,
    remembers,
    arrived,
    lost,
  }: {
    readonly real: FakeClock;
    readonly random: () => number;
    readonly remembers: boolean;
    readonly arrived: (arrival: Omit<Arrival, 'life'>) => void;
    readonly lost: () => void;
  },
): Platform {
  const posts: Post[] = [];
  const doubles: Platform['doubles'] = [];
  const platform: Platform = { fault: undefined, posts, doubles, of };

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

  const arrive = (act: 'post' | 'edit', room: string, key: string, { card }: Notification) =>
    arrived({ notifier: name, receiver: room, key, act, body: JSON.stringify(renderJson(card)) });

  function of(life: Life): Connection {
    const find = async (id: string, room: string) =>
      posts.findLast((post) => post.id === id && post.room === room);
    return {
      async send(notification, { address, signal }) {
        await reach(life, signal);
        const room = String(address.room);
        const { id, doubt } = notification;
        const before = await find(id, room);
        const same = before !== undefined && (doubt || real.now() - before.at < nonceWindow);
        if (remembers && same) {
          if (doubt) arrive('edit', room, id, notification);
          await answer(life);
          return before.reference;
        }
        if (before !== undefined) {
          doubles.push({ id, room, excused: isUnheard(before) });
        }
        const reference = `${name} ${posts.length}`;
        const post = { reference, id, room, at: real.now(), life, suffered: life.suffered, answered: false };
        posts.push(post);
        arrive('post', room, id, notification);
        await answer(life);
        post.answered = true;
        return reference;
      },
      async edit(reference, { notification, address, signal }) {
        await reach(life, signal);
        const post = posts.find((each) => each.reference === reference);
        arrive('edit', String(address.room), post?.id ?? '', notification);
        await answer(life);
        return reference;
      },
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
