import { renderJson } from '#src/card/render-json.ts';
import { DeliveryError } from '#src/language/errors.ts';
import { msg } from '#src/language/text.ts';
import type { Connection, Notification } from '#src/platforms/notifier.ts';
import { createTokenHold, type TokenHold } from '#src/platforms/token-hold.ts';
import { isCalledOff } from '#src/runtime/send-check.ts';
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
  /** The version of the text that it shows. */
  version: string;
}

export interface Platform {
  readonly name: PlatformName;
  fault: PlatformFault | undefined;
  /**
   * Posts whose id was there already, and why they were doubled: the response to the first post was lost (`unheard`); it
   * arrived, but another process took the role over before the database stored it (`unkept`); or undefined: without need.
   */
  readonly doubles: {
    readonly id: string;
    readonly room: string;
    readonly why: 'unheard' | 'unkept' | undefined;
  }[];
  of(life: Life): Connection;
}

/** The sender of a request, and how often it had suffered and had been cut off when it sent the request. */
interface Sent {
  readonly life: Life;
  readonly suffered: number;
  readonly cuts: number;
}
const sentBy = (life: Life): Sent => ({ life, suffered: life.suffered, cuts: life.cuts });

/** Whether the sender has died or was frozen since: another process may have sent the same, or something newer. */
const isLeft = ({ life, suffered }: Sent): boolean => life.suffered > suffered;

/** Whether the sender was cut off from its database since, and may have lost its role to another process. */
const isCutOff = ({ life, cuts }: Sent): boolean => life.cuts > cuts;

/** @param sent the second post, which may have been sent before the first one arrived */
const whyAgain = (post: Post, sent: Sent): Platform['doubles'][number]['why'] =>
  !post.answered || isLeft(post.sent) || isLeft(sent)
    ? 'unheard'
    : isCutOff(post.sent) || isCutOff(sent)
      ? 'unkept'
      : undefined;

/** Ms within which posts with the same nonce are the same message. */
const nonceWindow = 5 * minute;

/**
 * Creates a platform with rooms that anyone may post to. Discord's rooms recognise a repeated post by its nonce for some
 * minutes, later among their last messages. Telegram's do not. A webhook's receivers know the keys of earlier posts; their
 * messages are never edited.
 * @param lost called when a request is carried out but its response is lost
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
  const lastSenders = new Map<string, Life>();
  const doubles: Platform['doubles'] = [];
  const platform: Platform = { name, fault: undefined, doubles, of };
  const remembers = name === 'discord';
  const keyOf = ({ id, version }: Notification) => (name === 'webhook' ? `${id}-${version}` : id);

  /** What each process knows of its token, as the platforms' own clients do. */
  const holds = new Map<Life, TokenHold>();
  const holdOf = (life: Life): TokenHold => {
    const known =
      holds.get(life) ??
      createTokenHold({ steady: real, reportTokenRefused: () => {}, reportTokenAccepted: () => {} });
    holds.set(life, known);
    return known;
  };
  const refused = () => new DeliveryError({ kind: 'unavailable', accepted: 'no' }, '401');

  const reach = async (life: Life, signal: AbortSignal) => {
    await life.pass();
    const hold = holdOf(life);
    if (hold.held() !== undefined) throw refused();
    if (platform.fault === 'unauthorized') {
      platform.fault = undefined;
      hold.refused(msg('not accepted'));
      throw refused();
    }
    if (isCalledOff(signal)) throw new DeliveryError({ kind: 'unavailable', accepted: 'no' }, 'called off');
    const { fault } = platform;
    if (fault === 'refuses') throw new DeliveryError({ kind: 'unavailable', accepted: 'no' }, '503');
    if (fault === 'busy') throw new DeliveryError({ kind: 'rate_limited', retryAfter: 3 * second }, '429');
    // From here the request is on the wire: it arrives, whatever happens to its sender.
    await real.sleep(fault === 'slow' ? random() * 15 * second : 20);
  };

  const answer = async (life: Life) => {
    if (platform.fault === 'deaf' && random() < 1 / 2) {
      lost();
      throw new DeliveryError({ kind: 'unavailable', accepted: 'unknown' }, 'no answer');
    }
    if (!life.runs) lost();
    await life.pass();
    holdOf(life).accepted();
  };

  const arrive = (
    act: 'post' | 'edit',
    post: { room: string; key: string; card: Notification['card']; sent: Sent },
  ) => {
    const { room, key, card, sent } = post;
    const body = JSON.stringify(renderJson(card));
    const isReplaced = isCutOff(sent) && lastSenders.get(room) !== sent.life;
    const late = isLeft(sent) || isReplaced;
    lastSenders.set(room, sent.life);
    arrived({ notifier: name, receiver: room, key, body, late, ...(name !== 'webhook' && { act }) });
  };

  function of(life: Life): Connection {
    // Not asynchronous: between the check for an earlier post and the post itself nothing else may arrive.
    const find = (id: string, room: string) => posts.findLast((post) => post.id === id && post.room === room);
    return {
      async send(notification, { address, signal }) {
        const sent = sentBy(life);
        await reach(life, signal);
        const room = String(address.room);
        const { doubt, card, version } = notification;
        const id = keyOf(notification);
        const before = find(id, room);
        const same = before !== undefined && (doubt || real.now() - before.at < nonceWindow);
        if (remembers && same) {
          // A post that Discord recognises keeps its text: the bot then edits it if that text is another one.
          if (doubt || version !== before.version) arrive('edit', { room, key: id, card, sent });
          before.version = version;
          await answer(life);
          return before.reference;
        }
        if (before !== undefined) {
          doubles.push({ id, room, why: whyAgain(before, sent) });
        }
        const reference = `${name} ${posts.length}`;
        const post = { reference, id, room, at: real.now(), sent, answered: false, version };
        posts.push(post);
        arrive('post', { room, key: id, card, sent });
        await answer(life);
        post.answered = true;
        return reference;
      },
      ...(name !== 'webhook' &&
        ({
          async edit(reference, { notification: { card, version }, address, signal }) {
            const sent = sentBy(life);
            await reach(life, signal);
            const post = posts.find((each) => each.reference === reference);
            arrive('edit', { room: String(address.room), key: post?.id ?? '', card, sent });
            if (post !== undefined) post.version = version;
            await answer(life);
            return reference;
          },
        } satisfies Partial<Connection>)),
      ...(remembers &&
        ({
          async find({ id }: Pick<Notification, 'id'>, { address, signal }) {
            await reach(life, signal);
            return find(id, String(address.room))?.reference ?? null;
          },
        } satisfies Partial<Connection>)),
    };
  }

  return platform;
}
