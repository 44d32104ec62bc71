import { parseArgs } from 'node:util';
import { parse, YAMLParseError } from 'yaml';
import type { Receiver } from '../../alert/subscription.ts';
import { openDatabase } from '../../database/open.ts';
import type { Platform } from '../../platforms/platform.ts';
import { type Scope, scopes } from '../../platforms/web/ports/api.ts';
import { keyName } from '../../platforms/web/ports/key-desk.ts';
import { recognise } from '../../runtime/credential.ts';
import { InputError } from '../../runtime/errors.ts';
import { iso } from '../../runtime/units.ts';
import { migrations } from '../../store/migrations.ts';
import { keys } from '../../store/places/keys.ts';
import type { KeyStore } from '../../store/ports.ts';
import type { Tables } from '../../store/tables.ts';
import { receiverSchema } from '../config/setting-schemas.ts';
import { issueKey } from '../console/key-desk.ts';

const usage = `npm start -- key create [NAME] [--scopes ${scopes.join(',')}]
             [--place '{ notifier: web, address: { room: main } }']
npm start -- key list | key revoke ID
`;

interface KeyCommand {
  /** The arguments that follow `key`. */
  readonly args: readonly string[];
  /** The bot's configuration. The bot may be running meanwhile. */
  readonly config: {
    readonly database: string;
    readonly platforms: readonly { readonly platform: Pick<Platform, 'name' | 'address'> }[];
  };
  /** Wall ms. */
  readonly now: number;
  /** Prints output that a script may read. */
  print(text: string): Promise<void>;
  /** Prints messages for people, apart from the output. */
  say(text: string): Promise<void>;
}

interface KeyOrder extends Omit<KeyCommand, 'args'> {
  readonly store: KeyStore;
  readonly argument: string | undefined;
  readonly options: { readonly scopes?: string; readonly place?: string };
}

/**
 * Creates, lists and revokes keys of the bot's HTTP API. This is done in a shell because every chat keeps what it shows.
 * @throws InputError
 */
export async function runKeyCommand(command: KeyCommand): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...command.args],
    options: { scopes: { type: 'string' }, place: { type: 'string' } },
    allowPositionals: true,
  });
  const [verb = '', argument, ...more] = positionals;
  const run = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  const misplaced = Object.keys(values).length > 0 && verb !== 'create';
  if (run === undefined || more.length > 0 || misplaced) throw new InputError(`Usage:\n${usage}`);
  const database = await openDatabase<Tables>(command.config.database, { migrations });
  try {
    await run({ ...command, store: keys(database.db), argument, options: values });
  } finally {
    await database.close();
  }
}

const verbs: Readonly<Record<string, (order: KeyOrder) => Promise<void>>> = {
  async create({ store, now, config, print, say, argument: name = '', options }) {
    if (!keyName.safeParse(name).success) throw new InputError('A name is one line of up to 80 characters');
    const allowed = readScopes(options.scopes);
    const place = readPlace(options.place, config);
    const { text, id } = await issueKey({ name, scopes: allowed, receiver: place }, { store, now });
    await print(`${text}\n`);
    await say(
      `This is key ${id}, which may ${allowed.join(' and ')}. It is shown only now: keep it where no one else can read it.\n`,
    );
  },

  async list({ store, print, say }) {
    const all = await store.all();
    if (all.length === 0) await say('There are no keys: `npm start -- key create [NAME]` makes one\n');
    for (const key of all) {
      const { id, name, createdAt, revokedAt, requests, usedAt } = key;
      const state = revokedAt === null ? 'valid' : `revoked ${iso(revokedAt)}`;
      const used = usedAt === null ? 'never used' : `${requests} requests, the last ${iso(usedAt)}`;
      const columns = [id, iso(createdAt), state, key.scopes.join(','), key.receiver.notifier, used, name];
      await print(`${columns.join('  ').trimEnd()}\n`);
    }
  },

  async revoke({ store, now, say, argument = '' }) {
    const id = recognise('tocsinbot', argument)?.id ?? argument;
    if (!(await store.revoke(id, now)))
      throw new InputError('No valid key has this id: `npm start -- key list` lists them all');
    await say(`Key ${id} is revoked.\n`);
  },
};

function readScopes(text = 'read,ask'): readonly Scope[] {
  const scopeNames = text.split(/[\s,]+/).filter((each) => each !== '');
  const unknownScope = scopeNames.find((each) => !scopes.some((scope) => scope === each));
  if (unknownScope !== undefined || scopeNames.length === 0)
    throw new InputError(`--scopes: "${text}" is not valid; give some of ${scopes.join(', ')}`);
  return scopes.filter((scope) => scopeNames.includes(scope));
}

function readPlace(
  text = '{ notifier: web, address: { room: main } }',
  { platforms }: KeyCommand['config'],
): Receiver {
  let given: unknown;
  try {
    given = parse(text, { logLevel: 'error' });
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
  }
  const parsed = receiverSchema(platforms.map(({ platform }) => platform)).safeParse(given);
  if (!parsed.success)
    throw new InputError(
      '--place: that is no place of a platform in use; give one like { notifier: telegram, address: { chatId: -1001234567890 } }',
    );
  return parsed.data;
}
