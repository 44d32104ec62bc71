import type { ApiKeys } from '../platforms/api.ts';
import type { WallClock } from '../runtime/clock.ts';
import { recognise, sameDigest } from '../runtime/credential.ts';
import type { Store } from '../store/ports.ts';

/** Looks up the holder of a key of the HTTP API in the database each time, so that a revoked key is refused at once. */
export const createApiKeys = ({ keys }: Pick<Store, 'keys'>, wall: Pick<WallClock, 'now'>): ApiKeys => ({
  async findHolder(text) {
    const credential = recognise('tocsinbot', text);
    const key = credential === null ? undefined : await keys.find(credential.id);
    if (credential === null || key === undefined || key.revokedAt !== null) return undefined;
    if (!sameDigest(key.digest, credential.digest)) return undefined;
    await keys.countUse(key.id, wall.now());
    const { id, name, receiver } = key;
    return { id, name, receiver, scopes: new Set(key.scopes) };
  },
});
