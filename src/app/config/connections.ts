import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { chmod, readFile, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import { pathIn } from '../../database/open.ts';
import { UserError } from '../../language/errors.ts';
import { msg } from '../../language/text.ts';
import { ConfigError } from '../../runtime/errors.ts';
import type { Secret } from '../../runtime/secret.ts';
import type { Store } from '../../store/ports.ts';
import { draftOf, writeOwnFile } from './own-file.ts';

/** The options that an operator gave for a platform, as they were typed. */
const connection = z.record(z.string(), z.unknown());
export type GivenOptions = z.output<typeof connection>;

export const unreadable = msg(
  'What was kept of this connection cannot be read: is TOCSIN_CONNECTIONS_KEY the key under which it was kept? If it is lost, connect anew.',
);

interface KeptConnections {
  readonly given: Readonly<Record<string, GivenOptions>>;
  /** Whether something is kept of a platform, or may be, that cannot be read. It can be replaced. */
  isUnreadable(name: string): boolean;
}

/** Keeps what an operator gave to connect platforms, their tokens among it, apart from everything that is copied or shown. */
export interface Connections {
  /** @throws ConfigError or DatabaseAway if file or database cannot be reached */
  read(): Promise<KeptConnections>;
  /** Keeps a connection; undefined: forgets it. The others stay as they are. @throws UserError, ConfigError, DatabaseAway */
  put(name: string, connection: GivenOptions | undefined): Promise<void>;
}

/** A connection as it is kept: a text is sealed. */
type Entry = GivenOptions | string;

interface Place {
  /** Returns the entries by platform; undefined if what is there is none of ours. */
  read(): Promise<Readonly<Record<string, unknown>> | undefined>;
  write(name: string, entry: Entry | undefined): Promise<void>;
}

interface KeptIn {
  readonly database: string;
  readonly key: Secret | null;
  readonly sealed: Store['connections'];
}

/**
 * Opens the connections: of a SQLite database in a file beside it that only its owner may read, of Postgres in a table that
 * backups leave out, under the operator's key, of a database in memory nowhere.
 */
export function openConnections({ database, key, sealed }: KeptIn): Connections {
  const path = pathIn(database);
  const seal = key === null ? undefined : createSeal(key);
  const isPostgres = database.startsWith('postgres');
  const place = isPostgres ? inTable(sealed) : path === undefined ? inMemory() : fileBeside(path);
  const open = async (name: string, entry: unknown): Promise<GivenOptions | undefined> => {
    try {
      return connection.parse(
        typeof entry === 'string' ? JSON.parse((await seal?.open(entry, name)) ?? '') : entry,
      );
    } catch {
      return undefined;
    }
  };
  return {
    async read() {
      const entries = await place.read();
      const all = await Promise.all(
        Object.entries(entries ?? {}).map(async ([name, entry]) => [name, await open(name, entry)] as const),
      );
      const unread = new Set(all.flatMap(([name, given]) => (given === undefined ? [name] : [])));
      return {
        given: Object.fromEntries(
          all.flatMap(([name, given]) => (given === undefined ? [] : [[name, given]])),
        ),
        isUnreadable: (name) => entries === undefined || unread.has(name),
      };
    },
    async put(name, given) {
      if (given !== undefined && isPostgres && seal === undefined)
        throw new UserError(
          msg('A token is kept in Postgres only under a key: set {variable} and restart.', {
            variable: 'TOCSIN_CONNECTIONS_KEY',
          }),
          { code: 'conflict' },
        );
      await place.write(name, given && seal ? await seal.seal(JSON.stringify(given), name) : given);
    },
  };
}

/** A row a platform: of two processes that connect two platforms at once, neither overwrites what the other keeps. */
const inTable = (sealed: Store['connections']): Place => ({
  read: () => sealed.all(),
  write: (name, entry) => sealed.put(name, typeof entry === 'string' ? entry : undefined),
});

function inMemory(): Place {
  const kept = new Map<string, Entry>();
  return {
    read: async () => Object.fromEntries(kept),
    async write(name, entry) {
      if (entry === undefined) kept.delete(name);
      else kept.set(name, entry);
    },
  };
}

function fileBeside(databasePath: string): Place {
  const path = `${databasePath}.connections`;
  let tidied: Promise<void> | undefined;
  const read = async () => {
    try {
      // A killed process may have left it, and a token that is forgotten stands nowhere. Later ones are our own.
      tidied ??= rm(draftOf(path), { force: true });
      await tidied;
      await chmod(path, 0o600);
      return entriesOf(await readFile(path, 'utf8'));
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return {};
      tidied = undefined;
      throw new ConfigError([`${path} cannot be read: may this user read it?`], { cause });
    }
  };
  return {
    read,
    async write(name, entry) {
      const { [name]: _, ...others } = (await read()) ?? {};
      await writeOwnFile(path, JSON.stringify(entry === undefined ? others : { ...others, [name]: entry }));
    },
  };
}

function entriesOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return connection.safeParse(text === '' ? {} : JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const cipher = 'aes-256-gcm';
const derive = promisify<string, Buffer, number, Buffer>(scrypt);

/** Encrypts texts, each for its name: salt, nonce, tag and text, each in base64url. */
function createSeal(key: Secret) {
  const ownSalt = randomBytes(16);
  /** To derive a key takes 50 ms, and what is kept is read every few seconds. By salt, one for each process that wrote. */
  const derived = new Map<string, Promise<Buffer>>();
  const keyFrom = (salt: Buffer): Promise<Buffer> =>
    derived.getOrInsertComputed(salt.toString('hex'), () => derive(key.reveal(), salt, 32));
  return {
    async seal(text: string, name: string): Promise<string> {
      const nonce = randomBytes(12);
      const sealing = createCipheriv(cipher, await keyFrom(ownSalt), nonce).setAAD(Buffer.from(name));
      const sealed = Buffer.concat([sealing.update(text, 'utf8'), sealing.final()]);
      return [ownSalt, nonce, sealing.getAuthTag(), sealed]
        .map((part) => part.toString('base64url'))
        .join('.');
    },
    async open(text: string, name: string): Promise<string> {
      const [salt, nonce, tag, sealed] = text.split('.').map((part) => Buffer.from(part, 'base64url'));
      if (salt === undefined || nonce === undefined || tag?.length !== 16 || sealed === undefined)
        throw new Error('this is no sealed text');
      const opening = createDecipheriv(cipher, await keyFrom(salt), nonce, { authTagLength: 16 });
      opening.setAuthTag(tag).setAAD(Buffer.from(name));
      return Buffer.concat([opening.update(sealed), opening.final()]).toString('utf8');
    },
  };
}
