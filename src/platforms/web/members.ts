import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Receiver, receiverKey } from '../../alert/subscription.ts';
import { UserError } from '../../language/errors.ts';
import { msg } from '../../language/text.ts';
import { createRefills } from '../../runtime/bucket.ts';
import type { WallClock } from '../../runtime/clock.ts';
import { createCredential, recognise } from '../../runtime/credential.ts';
import { createKept } from '../../runtime/kept.ts';
import { day, second } from '../../runtime/units.ts';
import type { MemberStanding, Proven } from '../notifier.ts';
import { attributes, cookieIn } from './access.ts';
import { TooOften } from './guesses.ts';
import type { MemberSession, PageMembers } from './ports/members.ts';

/** How long a member stays signed in, and after how long the browser gets another secret, wall ms. */
const sessionLifetime = 7 * day;
const secretLifetime = day;
/** How long what a platform said of a person is believed where nothing is changed, wall ms. */
const standingLifetime = 30 * second;
/** The most of what platforms said that is remembered. */
const maxRemembered = 10_000;
/** How many places of a member are listed. Others open by their address. */
const maxPlaces = 50;
/** How many questions to a platform a person may cause at once, and the ms after which each may be repeated. */
const questions = { burst: 100, interval: second };

/** A place in which a member may do something. */
export interface MemberPlace {
  /** What the page's address names it by. */
  readonly room: string;
  readonly name: string;
  readonly manages: boolean;
}

const notThere = () =>
  new UserError(msg('You are not in this chat, or the bot has nothing there.'), { code: 'forbidden' });

interface MemberAccessOptions {
  readonly members: PageMembers;
  /** The page's public address; null: nobody signs in. */
  readonly url: string | null;
  readonly wall: Pick<WallClock, 'now'>;
}

export type MemberAccess = ReturnType<typeof createMemberAccess>;

/** Asks the platforms what people may do, and remembers it for a short while. */
function createStandings({
  members,
  ways,
  now,
}: {
  readonly members: Pick<PageMembers, 'has'>;
  readonly ways: PageMembers['ways'];
  /** Wall ms. */
  readonly now: () => number;
}) {
  const asked = createRefills(questions);
  const standings = createKept<MemberStanding | undefined>({
    holds: standingLifetime,
    most: maxRemembered,
    clock: { now },
  });
  const askStanding = async (person: string, receiver: Receiver): Promise<MemberStanding | undefined> => {
    const way = ways().find(({ platform }) => platform === receiver.notifier);
    // Who is known by one platform has no rights on another.
    if (way === undefined || !person.startsWith(`${way.platform}:`)) return undefined;
    const { signIn } = way;
    const own = signIn.own?.(person);
    const isOwn = own !== undefined && receiverKey({ ...receiver, address: own }) === receiverKey(receiver);
    // Nobody can make the bot ask about places that it does not know.
    if (!isOwn && !(await members.has(receiver))) return undefined;
    const wait = asked.take(person, now());
    if (wait > 0) throw new TooOften('this was asked too often', wait);
    return signIn.standing(person, receiver.address);
  };
  /** @param given with `isWrite`, it is asked again, whatever the platform said before */
  return (
    { person }: Pick<MemberSession, 'person'>,
    receiver: Receiver,
    { isWrite = false }: { readonly isWrite?: boolean } = {},
  ): Promise<MemberStanding | undefined> => {
    const key = `${person} ${receiverKey(receiver)}`;
    const before = isWrite ? undefined : standings.get(key);
    return before ?? standings.put(key, askStanding(person, receiver));
  };
}

/** Knows who signed in by a platform, and asks the platform what he may do. */
export function createMemberAccess({ members, url, wall }: MemberAccessOptions) {
  const { sessions } = members;
  const secure = url?.startsWith('https:') === true;
  const prefix = secure ? '__Host-tocsin' : 'tocsin';
  const cookieName = `${prefix}-member`;
  const sessionCookie = (secret: string, age: number) =>
    `${cookieName}=${secret}; ${attributes({ secure, age, sameSite: 'Lax' })}`;
  const ways = () => (url === null ? [] : members.ways());
  const found = new WeakMap<IncomingHttpHeaders, Promise<MemberSession | undefined>>();
  const secretIn = (headers: IncomingHttpHeaders) =>
    recognise('session', cookieIn(headers, cookieName) ?? '');
  const sessionOf = (headers: IncomingHttpHeaders): Promise<MemberSession | undefined> => {
    const secret = url === null ? null : secretIn(headers);
    if (secret === null) return Promise.resolve(undefined);
    return found.getOrInsertComputed(headers, () => sessions.find(secret.digest, wall.now()));
  };

  const standingOf = createStandings({ members, ways, now: wall.now });

  /** Returns the cookies of whom a platform has proven; undefined if nobody, or if the proof was taken before. */
  const begin = async (
    platform: string,
    { proven, headers }: { readonly proven: Proven | undefined; readonly headers: IncomingHttpHeaders },
  ): Promise<readonly string[] | undefined> => {
    if (proven === undefined) return undefined;
    const proof = hash('sha256', `${platform} ${proven.proof}`);
    // A page within an app is loaded again with the proof that it was opened with.
    if ((await sessionOf(headers))?.proof === proof) return [];
    const { text, digest } = createCredential('session');
    const now = wall.now();
    const { person, name } = proven;
    const session = { proof, person, name, renewedAt: now, digest, until: now + sessionLifetime };
    return (await sessions.begin(session)) ? [sessionCookie(text, sessionLifetime / second)] : undefined;
  };

  return {
    ways,
    sessionOf,
    begin,
    /** Whether the session still stands, and what it shows may still be seen. */
    async mayStill({ proof, person }: MemberSession, receiver: Receiver): Promise<boolean> {
      return (
        (await sessions.lasts(proof, wall.now())) && (await standingOf({ person }, receiver)) !== undefined
      );
    },
    /** Returns a place that a member may look at. @throws UserError */
    async enter(session: MemberSession, given: { readonly room: string; readonly isWrite: boolean }) {
      const receiver = members.readPlace(given.room);
      const standing = receiver && (await standingOf(session, receiver, given));
      if (receiver === undefined || standing === undefined) throw notThere();
      return { receiver, standing };
    },
    /** Returns places in which a member may do something, his own chat first. */
    async placesOf(session: MemberSession, most = maxPlaces): Promise<readonly MemberPlace[]> {
      const [platform = ''] = session.person.split(':');
      const way = ways().find((each) => each.platform === platform);
      if (way === undefined) return [];
      const own = way.signIn.own?.(session.person);
      const likely = await members.likely(platform, session.person);
      const receivers = [...(own === undefined ? [] : [{ notifier: platform, address: own }]), ...likely];
      const places = new Map<string, MemberPlace>();
      // One after the other, so that nobody waits for the bot because of it.
      for (const receiver of receivers) {
        if (places.size >= most) break;
        const standing = await standingOf(session, receiver);
        const room = members.writePlace(receiver);
        if (standing !== undefined)
          places.set(room, { room, name: standing.name, manages: standing.rights.has('manage') });
      }
      return [...places.values()];
    },
    /** Returns the cookie with another secret, if it is time for one. */
    async renew(headers: IncomingHttpHeaders): Promise<string | undefined> {
      const session = await sessionOf(headers);
      const secret = secretIn(headers);
      const now = wall.now();
      if (session === undefined || secret === null || session.renewedAt > now - secretLifetime)
        return undefined;
      const { text, digest: next } = createCredential('session');
      const isRenewed = await sessions.renew(secret.digest, { next, at: now });
      return isRenewed ? sessionCookie(text, sessionLifetime / second) : undefined;
    },
    /** Ends the session, if there is one. Returns the cookie that removes it from the browser. */
    async leave(headers: IncomingHttpHeaders): Promise<readonly string[]> {
      const session = await sessionOf(headers);
      if (session === undefined) return [];
      await sessions.end(session.proof, wall.now());
      return [sessionCookie('', 0)];
    },
  };
}
