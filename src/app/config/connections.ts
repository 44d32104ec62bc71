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
const connections = z.record(z.string(), connection);
export type GivenOptions = z.output<typeof connection>;

/** Keeps what an operator gave to connect platforms, their tokens among it, apart from everything that is copied or shown. */
export interface Connections {
  /** Whether other processes may change them. */
  readonly shared: boolean;
  /** @throws ConfigError if they cannot be read */
  read(): Promise<Readonly<Record<string, GivenOptions>>>;
  /** Keeps a connection; undefined: forgets it. @throws UserError, ConfigError */
  put(name: string, connection: GivenOptions | undefined): Promise<void>;
}

interface KeptIn {
  readonly database: string;
  readonly key: Secret | null;
  readonly settings: Store['settings'];
}

/** The setting of a Postgres database under which they are kept. */
const settingName = 'connections';

/**
 * Opens the connections: of a SQLite database in a file beside it that only its owner may read, of Postgres in it, under the
 * operator's key, of a database in memory nowhere.
 */
export function openConnections({ database, key, settings }: KeptIn): Connections {
  const path = pathIn(database);
  let kept: string | undefined;
  const seal = key === null ? undefined : createSeal(key);
  const place = database.startsWith('postgres')
    ? {
        read: () => settings.get(settingName),
        write: (text: string) => {
          if (key === null)
            throw new UserError(
              msg('A token is kept in Postgres only under a key: set {variable} and restart.', {
                variable: 'TOCSIN_CONNECTIONS_KEY',
              }),
              { code: 'conflict' },
            );
          return settings.put(settingName, text);
        },
      }
    : path === undefined
      ? {
          read: async () => kept,
          async write(text: string) {
            kept = text;
          },
        }
      : fileBeside(path);
  const read = async (): Promise<Readonly<Record<string, GivenOptions>>> => {
    const text = await place.read();
    return text === undefined || text === '' ? {} : parse(text, seal);
  };
  return {
    shared: database.startsWith('postgres'),
    read,
    async put(name, given) {
      const { [name]: _, ...others } = await read();
      const json = JSON.stringify(given === undefined ? others : { ...others, [name]: given });
      await place.write(seal === undefined ? json : await seal.seal(json));
    },
  };
}

function fileBeside(databasePath: string) {
  const path = `${databasePath}.connections`;
  return {
    async read() {
      try {
        // A killed process may have left it, and a token that is forgotten stands nowhere.
        await rm(draftOf(path), { force: true });
        await chmod(path, 0o600);
        return await readFile(path, 'utf8');
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw new ConfigError([`${path} cannot be read: may this user read it?`], { cause });
      }
    },
    write: (text: string) => writeOwnFile(path, text),
  };
}

const cipher = 'aes-256-gcm';
const derive = promisify<string, Buffer, number, Buffer>(scrypt);

/** Encrypts texts: salt, nonce, tag and text, each in base64url. */
function createSeal(key: Secret) {
  // What is read again and again is opened with the key that was derived for it before, which takes 50 ms.
  let last: { readonly salt: Buffer; readonly derived: Buffer } | undefined;
  const keyFrom = async (salt: Buffer): Promise<Buffer> => {
    if (last?.salt.equals(salt) !== true) last = { salt, derived: await derive(key.reveal(), salt, 32) };
    return last.derived;
  };
  return {
    async seal(text: string): Promise<string> {
      const [salt, nonce] = [randomBytes(16), randomBytes(12)];
      const sealing = createCipheriv(cipher, await keyFrom(salt), nonce);
      const sealed = Buffer.concat([sealing.update(text, 'utf8'), sealing.final()]);
      return [salt, nonce, sealing.getAuthTag(), sealed].map((part) => part.toString('base64url')).join('.');
    },
    async open(text: string): Promise<string> {
      const [salt, nonce, tag, sealed] = text.split('.').map((part) => Buffer.from(part, 'base64url'));
      if (salt === undefined || nonce === undefined || tag?.length !== 16 || sealed === undefined)
        throw new Error('this is no sealed text');
      const opening = createDecipheriv(cipher, await keyFrom(salt), nonce, { authTagLength: 16 });
      opening.setAuthTag(tag);
      return Buffer.concat([opening.update(sealed), opening.final()]).toString('utf8');
    },
  };
}

async function parse(
  text: string,
  seal: ReturnType<typeof createSeal> | undefined,
): Promise<Readonly<Record<string, GivenOptions>>> {
  try {
    return connections.parse(JSON.parse(text.startsWith('{') ? text : ((await seal?.open(text)) ?? '')));
  } catch {
    // The cause may quote what is kept.
    throw new ConfigError([
      'the connected platforms cannot be read: is TOCSIN_CONNECTIONS_KEY the key under which they were kept? If it is lost, connect them anew',
    ]);
  }
}
