import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { InputError } from '../../runtime/errors.ts';

const derive = promisify(argon2);
/** The function that computes the hash of a password. */
export type Derive = typeof derive;

interface Cost {
  /** KiB. */
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** The second of OWASP's equivalent settings (Password Storage Cheat Sheet): some 40 ms of one core. */
export const defaultCost: Cost = { memory: 19_456, passes: 2, parallelism: 1 };

const lengthBounds = { min: 12, max: 256 } as const;

export interface Passwords {
  /** Returns the argon2id hash as a PHC string. @throws InputError if the password is too short or too long */
  hash(password: string): Promise<string>;
  /** Does the same work whether a hash is stored or not, so that the time taken does not reveal it. */
  verify(stored: string | undefined, password: string): Promise<boolean>;
}

/** Every hash contains its own cost, so that older hashes stay valid when the cost is raised. */
export function createPasswords(cost: Cost = defaultCost, argon: Derive = derive): Passwords {
  const dummyHash = phc(cost, Buffer.alloc(16), Buffer.alloc(32));
  return {
    async hash(password) {
      const { length } = [...password];
      if (length < lengthBounds.min || length > lengthBounds.max) {
        throw new InputError(
          `A password has from ${lengthBounds.min} to ${lengthBounds.max} characters; this one has ${length}`,
        );
      }
      const nonce = randomBytes(16);
      return phc(
        cost,
        nonce,
        await argon('argon2id', { ...inputs(password, nonce), ...cost, tagLength: 32 }),
      );
    },

    async verify(stored = dummyHash, password) {
      const [, memory, passes, parallelism, salt = '', hash = ''] = pattern.exec(stored) ?? [];
      const expected = Buffer.from(hash, 'base64');
      if (expected.length === 0) throw new Error('a stored password is no argon2id hash');
      const actual = await argon('argon2id', {
        ...inputs(password, Buffer.from(salt, 'base64')),
        memory: Number(memory),
        passes: Number(passes),
        parallelism: Number(parallelism),
        tagLength: expected.length,
      });
      return timingSafeEqual(actual, expected);
    },
  };
}

/** Two systems may encode the same characters as composed or decomposed: NFKC makes them equal (NIST SP 800-63B). */
const inputs = (password: string, nonce: Buffer) => ({ message: password.normalize('NFKC'), nonce });

const pattern = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

function phc({ memory, passes, parallelism }: Cost, nonce: Buffer, hash: Buffer): string {
  const [salt, text] = [nonce, hash].map((bytes) => bytes.toString('base64').replaceAll('=', ''));
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${salt}$${text}`;
}
