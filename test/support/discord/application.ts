import { z } from 'zod';
import type { Route } from './routes.ts';
import type { World } from './world.ts';

const name = z
  .string()
  .regex(/^[-_'\p{L}\p{N}]{1,32}$/u)
  .refine((text) => text === text.toLowerCase());
const description = z.string().min(1).max(100);
/** Discord's locales (reference, "Locales"). */
const locale = z.enum(
  'id da de en-GB en-US es-ES es-419 fr hr it lt hu nl no pl pt-BR ro fi sv-SE vi tr cs el bg ru uk hi th zh-CN ja zh-TW ko'.split(
    ' ',
  ),
);
const localized = z.partialRecord(locale, description).optional();
const localizedName = z.partialRecord(locale, name).optional();

type Named = {
  readonly name: string;
  readonly name_localizations?: Readonly<Record<string, string | undefined>> | undefined;
};
/**
 * Checks that names are unique in every language. An entry without a name in a language appears there under its default name.
 */
const unique = (list: readonly Named[]): boolean =>
  [undefined, ...locale.options].every(
    (each) =>
      new Set(list.map(({ name: own, name_localizations: names }) => (each && names?.[each]) ?? own)).size ===
      list.length,
  );
const requiredFirst = (list: readonly { readonly required?: boolean | undefined }[]): boolean =>
  list.every(
    ({ required }, index) =>
      required !== true || list.slice(0, index).every((before) => before.required === true),
  );

const common = {
  name,
  name_localizations: localizedName,
  description,
  description_localizations: localized,
};
const [text, integer, number] = [z.literal(3), z.literal(4), z.literal(10)];
const choices = z
  .array(z.object({ name: z.string().min(1).max(100), value: z.union([z.string().max(100), z.number()]) }))
  .max(25)
  .optional();
const plain = { ...common, required: z.boolean().optional() };
const suggested = { ...plain, autocomplete: z.boolean().optional(), choices };

/** The fields that each type of option may have; any other field is refused. */
const option = z
  .union([
    z.strictObject({ ...suggested, type: text, max_length: z.int().min(1).max(6_000).optional() }),
    z.strictObject({
      ...suggested,
      type: z.union([integer, number]),
      min_value: z.number().optional(),
      max_value: z.number().optional(),
    }),
    // Boolean, role, attachment.
    z.strictObject({ ...plain, type: z.union([z.literal(5), z.literal(8), z.literal(11)]) }),
  ])
  .refine(
    (given) => !('autocomplete' in given && given.autocomplete === true && (given.choices?.length ?? 0) > 0),
  );
const options = z
  .array(option)
  .max(25)
  .refine(unique, 'Option names must be unique')
  .refine(requiredFirst, 'Required options must be placed before non-required options')
  .optional();
/** The fields of "Modify Current Member" that change how the bot looks; an image is a data URI of one of three types. */
const ownLooks = z.strictObject({
  nick: z.string().min(1).max(32, 'Must be between 1 and 32 in length.').nullable().optional(),
  avatar: z
    .string()
    .regex(/^data:image\/(png|jpeg|gif);base64,[A-Za-z0-9+/]+=*$/, 'Invalid image data')
    .nullable()
    .optional(),
});
const subCommand = z.strictObject({ ...common, type: z.literal(1), options });

/** Length of the longest of a text and its translations. */
const longest = (said: string, others: object = {}): number =>
  Math.max(said.length, ...Object.values(others).map((each) => String(each).length));
interface Sized extends Named {
  readonly description: string;
  readonly description_localizations?: object | undefined;
  readonly options?: readonly Sized[] | undefined;
  readonly choices?: readonly { readonly value: string | number }[] | undefined;
}
const size = (each: Sized): number =>
  longest(each.name, each.name_localizations) +
  longest(each.description, each.description_localizations) +
  (each.choices ?? []).reduce((sum, { value }) => sum + String(value).length, 0) +
  (each.options ?? []).reduce((sum, inner) => sum + size(inner), 0);

const command = z
  .strictObject({
    ...common,
    type: z.literal(1).optional(),
    contexts: z.array(z.int().min(0).max(2)).optional(),
    integration_types: z.array(z.int().min(0).max(1)).optional(),
    default_member_permissions: z
      .string()
      .regex(/^\d{1,20}$/)
      .nullish(),
    // A command has either options or sub-commands. A command with sub-commands cannot be called itself.
    options: z.union([options, z.array(subCommand).min(1).max(25).refine(unique)]),
  })
  .refine((each) => size(each) <= 8_000, 'Command exceeds maximum size (8000)');
/** An entry in the menu of a message: its name may have capitals and spaces, and it has no description and no options. */
const menuName = z.string().regex(/^\S(.{0,30}\S)?$/u);
const messageMenu = z.strictObject({
  type: z.literal(3),
  name: menuName,
  name_localizations: z.partialRecord(locale, menuName).optional(),
  contexts: z.array(z.int().min(0).max(2)).optional(),
  integration_types: z.array(z.int().min(0).max(1)).optional(),
});
const commandList = z
  .array(z.union([command, messageMenu]))
  .refine((list) => list.filter(({ type }) => type !== 3).length <= 100)
  .refine((list) => list.filter(({ type }) => type === 3).length <= 5)
  .refine(unique, 'Application command names must be unique');

export interface ApplicationOptions {
  readonly world: World;
  readonly gatewayUrl: string;
  readonly shards: () => number;
}

/** Creates the routes for the gateway's URL, the bot's own user, the commands and opening DMs. */
export function applicationRoutes({ world, gatewayUrl, shards }: ApplicationOptions) {
  const commands = { puts: 0, of: new Map<string, readonly unknown[]>() };
  const put = (scope: string, json: unknown) => {
    const parsed = commandList.safeParse(json);
    if (!parsed.success) {
      return {
        status: 400,
        body: { code: 50035, message: 'Invalid Form Body', errors: parsed.error.issues },
      };
    }
    commands.puts += 1;
    const body = parsed.data.map((each) => ({
      ...each,
      id: world.id(),
      application_id: world.application,
      version: world.id(),
      type: each.type ?? 1,
    }));
    commands.of.set(scope, body);
    return { status: 200, body };
  };
  /** A member's role (API docs, "Add Guild Member Role"): takes Manage Roles, and a role below the bot's own. */
  const changeRole =
    (gives: boolean): Route['answer'] =>
    ([guildId = '', user = '', role]) => {
      const guild = world.guilds.get(guildId);
      const at = guild?.roles.findIndex(({ id }) => id === role) ?? -1;
      if (guild === undefined || role === undefined || at === -1)
        return { status: 404, body: { code: 10011, message: 'Unknown Role' } };
      const { permissions = '0', above = 0 } = guild.bot ?? {};
      if ((BigInt(permissions) & (1n << 28n)) === 0n || at >= above)
        return { status: 403, body: { code: 50013, message: 'Missing Permissions' } };
      const has = guild.members.get(user) ?? new Set();
      guild.members.set(user, has);
      if (gives) has.add(role);
      else has.delete(role);
      return { status: 204 };
    };
  /** "Modify Current Member": the bot's own looks in one guild. */
  const changeLooks: Route['answer'] = ([guildId = ''], { json }) => {
    const guild = world.guilds.get(guildId);
    if (guild === undefined) return { status: 404, body: { code: 10004, message: 'Unknown Guild' } };
    const given = ownLooks.safeParse(json);
    if (!given.success) {
      const errors = Object.fromEntries(
        given.error.issues.map(({ path, message }) => [
          path.join('.') || 'body',
          { _errors: [{ code: 'INVALID', message }] },
        ]),
      );
      return { status: 400, body: { code: 50035, message: 'Invalid Form Body', errors } };
    }
    const mayRename = (BigInt(guild.bot?.permissions ?? '0') & (1n << 26n)) !== 0n;
    if (given.data.nick !== undefined && !mayRename)
      return { status: 403, body: { code: 50013, message: 'Missing Permissions' } };
    const looks = { ...guild.looks, ...given.data };
    guild.looks = looks;
    const user = { id: world.application, username: 'tocsin', discriminator: '0', avatar: null, bot: true };
    const { nick = null, avatar = null } = looks;
    return {
      status: 200,
      body: {
        user,
        nick,
        avatar: avatar && 'a'.repeat(32),
        roles: [],
        joined_at: '2026-01-01T00:00:00.000Z',
        flags: 0,
      },
    };
  };
  const memberRole = /^\/guilds\/(\d+)\/members\/(\d+)\/roles\/(\d+)$/;
  const routes: Route[] = [
    { method: 'PATCH', path: /^\/guilds\/(\d+)\/members\/@me$/, bucket: 'looks', answer: changeLooks },
    { method: 'PUT', path: memberRole, bucket: 'role', answer: changeRole(true) },
    { method: 'DELETE', path: memberRole, bucket: 'role', answer: changeRole(false) },
    {
      method: 'GET',
      path: /^\/gateway\/bot$/,
      bucket: 'gateway',
      answer: () => ({
        status: 200,
        body: {
          url: gatewayUrl,
          shards: shards(),
          session_start_limit: { total: 1_000, remaining: 1_000, reset_after: 0, max_concurrency: 16 },
        },
      }),
    },
    {
      method: 'GET',
      path: /^\/users\/@me$/,
      bucket: 'me',
      answer: () => ({
        status: 200,
        body: { id: world.application, username: 'tocsin', discriminator: '0', avatar: null, bot: true },
      }),
    },
    {
      method: 'PUT',
      path: /^\/applications\/(\d+)\/commands$/,
      bucket: 'commands',
      answer: (_ids, { json }) => put('global', json),
    },
    {
      method: 'PUT',
      path: /^\/applications\/(\d+)\/guilds\/(\d+)\/commands$/,
      bucket: 'commands',
      answer: ([, guild], { json }) => put(guild ?? '', json),
    },
    {
      method: 'POST',
      path: /^\/users\/@me\/channels$/,
      bucket: 'dm',
      answer(_ids, { json }) {
        const { recipient_id } = json as { recipient_id: string };
        const name = `dm-${recipient_id}`;
        const { id } =
          [...world.channels.values()].find((channel) => channel.name === name) ??
          world.addChannel({ type: 1, name });
        return {
          status: 200,
          body: { id, type: 1, recipients: [{ id: recipient_id, username: 'someone', discriminator: '0' }] },
        };
      },
    },
  ];
  return { routes, commands };
}
