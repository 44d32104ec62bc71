import { parseArgs } from 'node:util';
import { login } from '../../contract/index.ts';
import { openDatabase } from '../../database/open.ts';
import { parseInteger } from '../../runtime/arguments.ts';
import { recognise } from '../../runtime/credential.ts';
import { InputError } from '../../runtime/errors.ts';
import { iso } from '../../runtime/units.ts';
import { keysWithUse, makeKey } from '../access/keys.ts';
import { accountName } from '../access/login.ts';
import { createPasswords } from '../access/password.ts';
import { type AccessStore, accessStoreIn } from '../access/store.ts';
import { migrations } from '../archive/migrations.ts';

const accessUsage = `npm run serve -- account create EMAIL
                 asks for the password, or reads it from a pipe
npm run serve -- account list | account remove EMAIL
npm run serve -- key create [NAME] [--limit REQUESTS]
                 prints the key, once; a limit of its own per window
npm run serve -- key list | key revoke ID
                 with the requests made with each, today and in 30 days (UTC)
`;

interface AccessCommand {
  /** The arguments of the command line, beginning with `account` or `key`. */
  readonly args: readonly string[];
  readonly archiveUrl: string;
  /** Wall ms. */
  readonly now: number;
  readPassword(): Promise<string>;
  /** Writes output that a script may read. */
  print(text: string): Promise<void>;
  /** Writes explanations for people. */
  say(text: string): Promise<void>;
}

interface AccessRequest extends AccessCommand {
  readonly store: AccessStore;
  readonly argument: string | undefined;
  /** The limit of requests of a new key; null: the configured limit. */
  readonly limit: number | null;
}

type Verb = (request: AccessRequest) => Promise<void>;

/** Manages accounts and keys in the data service's database. The service may be running meanwhile. @throws InputError */
export async function runAccessCommand(command: AccessCommand): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...command.args],
    options: { limit: { type: 'string' } },
    allowPositionals: true,
  });
  const [subject, verb, argument, ...more] = positionals;
  const run = verbs[`${subject} ${verb}`];
  const isLimitMisplaced = values.limit !== undefined && run !== verbs['key create'];
  if (run === undefined || more.length > 0 || isLimitMisplaced) {
    throw new InputError(`Usage:\n${accessUsage}`);
  }
  const limit =
    values.limit === undefined
      ? null
      : parseInteger('--limit', { text: values.limit, min: 1, max: 1_000_000 });
  const database = await openDatabase<unknown>(command.archiveUrl, { migrations });
  try {
    await run({ ...command, store: accessStoreIn(database), argument, limit });
  } finally {
    await database.close();
  }
}

const verbs: Readonly<Record<string, Verb>> = {
  async 'account create'({ store, now, readPassword, say, argument }) {
    const email = readEmail(argument);
    const accountExistsError = () =>
      new InputError(`${email} already has an account: remove it first to set another password`);
    if ((await store.passwordOf(email)) !== undefined) throw accountExistsError();
    const password = await createPasswords().hash(await readPassword());
    if (!(await store.addAccount({ email, password, createdAt: now }))) throw accountExistsError();
    await say(`${email} can log in.\n`);
  },

  async 'account list'({ store, print, say }) {
    const all = await store.accounts();
    if (all.length === 0)
      await say('There are no accounts: `npm run serve -- account create EMAIL` makes one\n');
    for (const { email, createdAt } of all) await print(`${email}  ${iso(createdAt)}\n`);
  },

  async 'account remove'({ store, now, say, argument }) {
    const email = readEmail(argument);
    if (!(await store.removeAccount(email, now))) throw new InputError(`${email} has no account`);
    await say(`${email} can no longer log in; its sessions have ended and its keys are revoked.\n`);
  },

  async 'key create'({ store, now, print, say, argument: name = '', limit: requestLimit }) {
    const { text, id } = await makeKey(store, { name, owner: null, requestLimit }, now);
    await print(`${text}\n`);
    await say(`This is key ${id}. It is shown only now: keep it where no one else can read it.\n`);
  },

  async 'key list'({ store, now, print, say }) {
    const all = await keysWithUse(store, { now });
    if (all.length === 0) await say('There are no keys: `npm run serve -- key create [NAME]` makes one\n');
    for (const { id, name, owner, requestLimit, createdAt, revokedAt, today, month } of all) {
      const status = revokedAt === null ? 'valid' : `revoked ${iso(revokedAt)}`;
      const limit = requestLimit === null ? 'the configured limit' : `${requestLimit} requests`;
      const used = `used ${today} times today, ${month} in 30 days`;
      await print(
        `${[id, iso(createdAt), status, limit, used, ...(owner === null ? [] : [owner]), name].join('  ').trimEnd()}\n`,
      );
    }
  },

  async 'key revoke'({ store, now, say, argument = '' }) {
    const id = recognise('tocsin', argument)?.id ?? argument;
    if (!(await store.revokeKey(id, { now }))) {
      throw new InputError('No valid key has this id: `npm run serve -- key list` lists them all');
    }
    await say(`Key ${id} is revoked.\n`);
  },
};

function readEmail(text: string | undefined): string {
  const parsed = login.body.shape.email.safeParse(accountName(text ?? ''));
  if (parsed.success) return parsed.data;
  throw new InputError(text === undefined ? 'Give an email address' : `"${text}" is not an email address`);
}
