import { Agent } from 'undici';
import { z } from 'zod';
import { parseJson } from '../../runtime/parse-json.ts';
import { requestText, type TextResponse } from '../../runtime/request-text.ts';
import type { Secret } from '../../runtime/secret.ts';
import { managerRights, memberRights } from '../../shell/rights.ts';
import { type MemberStanding, noAnswerError, type Proven, type SignIn } from '../notifier.ts';
import type { NotifierPorts } from '../ports.ts';
import { address, type DiscordOptions } from './options.ts';
import { snowflake } from './post-body.ts';
import { type Rest, tokenHeaders } from './rest.ts';

interface SignInPorts extends Pick<NotifierPorts, 'pace' | 'wall'> {
  readonly rest: Rest;
}

/** Bytes. Each of the answers takes some hundred. */
const maxAnswer = 100_000;

const application = z.object({ id: snowflake });
const grant = z.object({ access_token: z.string().max(500), token_type: z.literal('Bearer') });
const user = z.object({ id: snowflake });

const bits = z
  .string()
  .regex(/^\d{1,20}$/)
  .transform(BigInt);
const guild = z.object({
  id: snowflake,
  name: z.string(),
  owner_id: snowflake,
  roles: z.array(z.object({ id: snowflake, permissions: bits })),
});
const member = z.object({
  roles: z.array(snowflake),
  pending: z.boolean().optional(),
  communication_disabled_until: z.iso.datetime({ offset: true }).nullish(),
});
const channel = z.object({
  id: snowflake,
  type: z.int(),
  name: z.string().nullish(),
  guild_id: snowflake.optional(),
  parent_id: snowflake.nullish(),
  permission_overwrites: z.array(z.object({ id: snowflake, allow: bits, deny: bits })).default([]),
  recipients: z.array(z.object({ id: snowflake })).default([]),
});

/** Bits of permissions (Discord API docs, "Permissions"). */
const permission = {
  administrator: 1n << 3n,
  manageGuild: 1n << 5n,
  viewChannel: 1n << 10n,
  useCommands: 1n << 31n,
  manageThreads: 1n << 34n,
} as const;
const all = (1n << 63n) - 1n;
const channelTypes = { dm: 1, privateThread: 12 } as const;

const noAnswer = (cause?: unknown) => noAnswerError('Discord', cause);

/**
 * Discord's OAuth2, by which it says nothing but who somebody is: what he may do in a place the bot asks itself, and it is what
 * Discord would let him do with the bot's commands there. Undefined without the application's secret.
 */
export function createSignIn(
  { clientSecret, ...options }: DiscordOptions,
  { rest, pace, wall }: SignInPorts,
): SignIn | undefined {
  if (clientSecret === undefined) return undefined;
  const { timeout } = options;
  /** Returns an answer of Discord's to the bot; undefined if Discord refuses it. */
  const ask = async <Schema extends z.ZodType>(path: string, schema: Schema) => {
    const signal = AbortSignal.timeout(timeout);
    await pace.take('sign-in', { lane: 'answer', signal });
    const answer = await rest.ask({ method: 'GET', path, place: 'sign-in', signal });
    if (answer.ok) return schema.safeParse(answer.json).data;
    const { kind } = answer.outcome;
    if (kind === 'unavailable' || kind === 'rate_limited') throw noAnswer();
    return undefined;
  };
  let known: string | undefined;
  const clientId = async (): Promise<string> => {
    known ??= (await ask('/applications/@me', application))?.id;
    if (known === undefined) throw noAnswer();
    return known;
  };

  const inGuild = async (
    person: string,
    {
      guildId,
      channelId,
      threadId,
    }: Readonly<Record<'guildId' | 'channelId', string>> & { threadId?: string | undefined },
  ): Promise<MemberStanding | undefined> => {
    const who = await ask(`/guilds/${guildId}/members/${person}`, member);
    if (who === undefined) return undefined;
    const [where, place] = [
      await ask(`/guilds/${guildId}`, guild),
      await ask(`/channels/${channelId}`, channel),
    ];
    const thread = threadId === undefined ? undefined : await ask(`/channels/${threadId}`, channel);
    if (where === undefined || place?.guild_id !== guildId) return undefined;
    if (threadId !== undefined && thread?.parent_id !== channelId) return undefined;
    const may = permissionsOf(person, { guild: where, member: who, channel: place });
    const isSilenced =
      who.pending === true || Date.parse(who.communication_disabled_until ?? '') > wall.now();
    const needed =
      permission.viewChannel |
      permission.useCommands |
      (thread?.type === channelTypes.privateThread ? permission.manageThreads : 0n);
    if ((may & needed) !== needed || (isSilenced && may !== all)) return undefined;
    return {
      name: `${where.name} · #${thread?.name ?? place.name ?? channelId}`,
      rights: (may & permission.manageGuild) === 0n ? memberRights : managerRights,
    };
  };

  return {
    async start({ returnTo, state }) {
      const query = {
        client_id: await clientId(),
        response_type: 'code',
        redirect_uri: returnTo,
        scope: 'identify',
        state,
      };
      return `https://discord.com/oauth2/authorize?${new URLSearchParams(query)}`;
    },
    async finish({ query, returnTo }) {
      const code = new URLSearchParams(query).get('code');
      if (code === null || code.length > 200) return undefined;
      return personBy(code, { ...options, clientSecret, returnTo, clientId: await clientId() });
    },
    async standing(person, given) {
      const { guildId, channelId, threadId } = address.parse(given);
      const id = person.slice('discord:'.length);
      if (guildId !== undefined) return inGuild(id, { guildId, channelId, threadId });
      const chat = await ask(`/channels/${channelId}`, channel);
      const isOwn = chat?.type === channelTypes.dm && chat.recipients.some((each) => each.id === id);
      return isOwn ? { name: 'Discord', rights: managerRights } : undefined;
    },
  };
}

/** Exchanges the code that a browser came back with for who it is. The access token is used once, and kept nowhere. */
async function personBy(
  code: string,
  {
    token,
    apiUrl,
    timeout,
    clientSecret,
    clientId,
    returnTo,
  }: Pick<DiscordOptions, 'token' | 'apiUrl' | 'timeout'> & {
    readonly clientSecret: Secret;
    readonly clientId: string;
    readonly returnTo: string;
  },
): Promise<Proven | undefined> {
  const agent = new Agent({ connect: { timeout }, maxResponseSize: maxAnswer });
  const signal = AbortSignal.timeout(timeout);
  const { 'user-agent': userAgent = '' } = tokenHeaders(token);
  const send = async (
    path: string,
    given: { method: 'GET' | 'POST'; authorization: string; form?: string },
  ) => {
    const response = await requestText(`${apiUrl}/v10${path}`, {
      method: given.method,
      headers: {
        authorization: given.authorization,
        'user-agent': userAgent,
        ...(given.form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      body: given.form ?? null,
      dispatcher: agent,
      signal,
    }).catch((cause: unknown) => {
      throw noAnswer(cause);
    });
    if (response.status === 429 || response.status >= 500) throw noAnswer();
    return response;
  };
  try {
    const basic = Buffer.from(`${clientId}:${clientSecret.reveal()}`).toString('base64');
    const form = { grant_type: 'authorization_code', code, redirect_uri: returnTo };
    const granted = readAs(
      grant,
      await send('/oauth2/token', {
        method: 'POST',
        authorization: `Basic ${basic}`,
        form: String(new URLSearchParams(form)),
      }),
    );
    if (granted === undefined) return undefined;
    const authorization = `Bearer ${granted.access_token}`;
    const found = readAs(user, await send('/users/@me', { method: 'GET', authorization }));
    return found && { person: `discord:${found.id}`, name: `discord:${found.id}`, proof: code };
  } finally {
    await agent.destroy();
  }
}

const readAs = <Schema extends z.ZodType>(schema: Schema, { status, text }: TextResponse) =>
  status === 200 ? schema.safeParse(parseJson(text)).data : undefined;

/** Returns the permissions of a member in a channel (Discord API docs, "Permission Hierarchy"). */
function permissionsOf(
  person: string,
  {
    guild: { id, owner_id, roles },
    member: { roles: has },
    channel: { permission_overwrites: overwrites },
  }: {
    readonly guild: z.output<typeof guild>;
    readonly member: z.output<typeof member>;
    readonly channel: z.output<typeof channel>;
  },
): bigint {
  if (person === owner_id) return all;
  // The role that everyone has, and the overwrite for everyone, have the id of the guild.
  const base = roles
    .filter((role) => role.id === id || has.includes(role.id))
    .reduce((sum, { permissions }) => sum | permissions, 0n);
  if ((base & permission.administrator) !== 0n) return all;
  const layers = [[id], has, [person]].map((ids) => overwrites.filter((each) => ids.includes(each.id)));
  return layers.reduce((may, layer) => {
    const denied = layer.reduce((sum, { deny }) => sum | deny, 0n);
    const allowed = layer.reduce((sum, { allow }) => sum | allow, 0n);
    return (may & ~denied) | allowed;
  }, base);
}
