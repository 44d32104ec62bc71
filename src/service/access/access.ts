import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../runtime/clock.ts';
import { type CredentialKind, type Recognised, recognise, sameDigest } from '../../runtime/credential.ts';
import type { Secret } from '../../runtime/secret.ts';
import { second } from '../../runtime/units.ts';
import type { AccessStore } from './store.ts';

/** What is known of the sender of a request. */
export type Grant =
  | { readonly kind: 'anonymous' }
  /** A credential was sent that is not valid, or no longer. */
  | { readonly kind: 'refused'; readonly error: string }
  | {
      readonly kind: 'known';
      /** Requests of the same pool are counted together. */
      readonly pool: string;
      /** Requests allowed per window: null means the configured number, Infinity no limit. */
      readonly requestLimit: number | null;
      /** Id of the API key whose use is counted. */
      readonly key?: string;
      /** Email address of the account whose session it is. */
      readonly account?: string;
    };

/** Identifies the sender of a request. Returns the grant without a promise if the credential was looked up a moment ago. */
export type Authenticate = (headers: IncomingHttpHeaders) => Grant | Promise<Grant>;

export type AccessCheck = ReturnType<typeof createAccess>;

/** A credential is looked up again after this long (wall ms): other processes accept a revoked key for as long as this. */
const cacheTime = 1 * second;
/** The most looked-up credentials that are kept, so that guessing does not fill the memory. */
const maxCached = 10_000;

interface Holder extends Recognised {
  readonly grant: Extract<Grant, { kind: 'known' }>;
  /** Wall ms. */
  readonly expiresAt: number;
}

/** The kinds of credential that the data service accepts. */
type AccessKind = Exclude<CredentialKind, 'tocsinbot'>;

const refusals: Readonly<Record<AccessKind, Grant>> = {
  tocsin: { kind: 'refused', error: 'Unknown or revoked API key' },
  session: { kind: 'refused', error: 'Unknown or expired session token: log in again' },
};
const anonymous: Grant = { kind: 'anonymous' };

/** @param processKey A key of the process itself, which is in no store and has no limit. */
export function createAccess({
  store,
  wall,
  processKey,
}: {
  readonly store: Pick<AccessStore, 'key' | 'session'>;
  readonly wall: Clock;
  readonly processKey?: Secret | undefined;
}) {
  const processCredential = processKey === undefined ? null : recognise('tocsin', processKey.reveal());
  let cache = new Map<string, { readonly at: number; readonly holder: Holder | undefined }>();

  const lookUp = async (kind: AccessKind, id: string): Promise<Holder | undefined> => {
    const at = wall.now();
    // Forgotten during the look-up, its result is put where nobody looks.
    const known = cache;
    const holder = await (kind === 'tocsin' ? keyHolder(store, id) : sessionHolder(store, id));
    const cacheKey = `${kind} ${id}`;
    known.delete(cacheKey);
    known.set(cacheKey, { at, holder });
    if (known.size > maxCached) known.delete(known.keys().next().value ?? '');
    return holder;
  };
  const grantFor = (
    kind: AccessKind,
    { given, holder }: { readonly given: Recognised; readonly holder: Holder | undefined },
  ): Grant =>
    holder !== undefined && sameDigest(holder.digest, given.digest) && wall.now() < holder.expiresAt
      ? holder.grant
      : refusals[kind];

  const authenticate: Authenticate = (headers) => {
    const key = headers['x-api-key'];
    const { authorization } = headers;
    if (key === undefined && authorization === undefined) return anonymous;
    const kind = key === undefined ? 'session' : 'tocsin';
    const given = recognise(kind, String(key ?? /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1]));
    if (given === null) return refusals[kind];
    if (processCredential !== null && sameDigest(processCredential.digest, given.digest)) return processGrant;
    const cached = cache.get(`${kind} ${given.id}`);
    return cached !== undefined && Math.abs(wall.now() - cached.at) < cacheTime
      ? grantFor(kind, { given, holder: cached.holder })
      : lookUp(kind, given.id).then((holder) => grantFor(kind, { given, holder }));
  };
  return {
    authenticate,
    /** Looks every credential up again: one that this process has just revoked is refused at once. */
    forget(): void {
      cache = new Map();
    },
  };
}

const processGrant: Grant = { kind: 'known', pool: 'the process', requestLimit: Number.POSITIVE_INFINITY };

async function keyHolder(store: Pick<AccessStore, 'key'>, id: string): Promise<Holder | undefined> {
  const key = await store.key(id);
  if (key === undefined || key.revokedAt !== null) return undefined;
  const grant = { kind: 'known', pool: `key ${id}`, requestLimit: key.requestLimit, key: id } as const;
  return { id, digest: key.digest, grant, expiresAt: Number.POSITIVE_INFINITY };
}

async function sessionHolder(store: Pick<AccessStore, 'session'>, id: string): Promise<Holder | undefined> {
  const session = await store.session(id);
  if (session === undefined) return undefined;
  const { digest, email, expiresAt } = session;
  const grant = { kind: 'known', pool: `account ${email}`, requestLimit: null, account: email } as const;
  return { id, digest, grant, expiresAt };
}
