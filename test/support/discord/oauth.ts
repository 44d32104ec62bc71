import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Reply, Route } from './routes.ts';
import type { World } from './world.ts';

/** The secret of the application (Discord API docs, "OAuth2"). */
export const clientSecret = 'a-client-secret-of-the-double';

const refused = (error: string): Reply => ({ status: 400, body: { error } });
const unknownMember: Reply = { status: 404, body: { code: 10007, message: 'Unknown Member' } };
const missingAccess: Reply = { status: 403, body: { code: 50001, message: 'Missing Access' } };

/**
 * What OAuth2 adds: people who authorize the application, codes that are exchanged once, within their redirect alone, and access
 * tokens. And what the bot may read of guilds.
 */
export function createOAuth(world: World, redirects: readonly string[]) {
  const codes = new Map<string, { readonly user: object; readonly redirect: string }>();
  const users = new Map<string, object>();
  const open: readonly {
    readonly path: string;
    answer(request: IncomingMessage, form: URLSearchParams): Reply;
  }[] = [
    {
      path: 'POST /oauth2/token',
      answer({ headers }, form) {
        const basic = Buffer.from(`${world.application}:${clientSecret}`).toString('base64');
        if (headers.authorization !== `Basic ${basic}`)
          return { status: 401, body: { error: 'invalid_client' } };
        if (headers['content-type'] !== 'application/x-www-form-urlencoded')
          return refused('invalid_request');
        if (form.get('grant_type') !== 'authorization_code') return refused('unsupported_grant_type');
        const given = codes.get(form.get('code') ?? '');
        codes.delete(form.get('code') ?? '');
        if (given === undefined || given.redirect !== form.get('redirect_uri'))
          return refused('invalid_grant');
        const access = randomBytes(15).toString('base64url');
        users.set(access, given.user);
        const body = { access_token: access, token_type: 'Bearer', expires_in: 604_800, scope: 'identify' };
        return { status: 200, body };
      },
    },
    {
      path: 'GET /users/@me',
      answer({ headers }) {
        const user = users.get(/^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? '');
        return user === undefined
          ? { status: 401, body: { message: '401: Unauthorized', code: 0 } }
          : { status: 200, body: user };
      },
    },
  ];
  const routes: readonly Route[] = [
    {
      method: 'GET',
      path: /^\/applications\/@me$/,
      bucket: 'application',
      answer: () => ({ status: 200, body: { id: world.application, name: 'Tocsin' } }),
    },
    {
      method: 'GET',
      path: /^\/guilds\/(\d+)$/,
      bucket: 'guild',
      answer([id = '']) {
        const guild = world.guilds.get(id);
        if (guild === undefined) return { status: 404, body: { code: 10004, message: 'Unknown Guild' } };
        const { name, owner_id, everyone = String((1n << 31n) | (1n << 10n)) } = guild;
        const roles = guild.roles.map((role) => ({ ...role, permissions: role.permissions ?? '0' }));
        return {
          status: 200,
          body: { id, name, owner_id, roles: [{ id, name: '@everyone', permissions: everyone }, ...roles] },
        };
      },
    },
    {
      method: 'GET',
      path: /^\/guilds\/(\d+)\/members\/(\d+)$/,
      bucket: 'member',
      answer([id = '', user = '']) {
        const guild = world.guilds.get(id);
        const roles = guild?.members.get(user);
        if (guild === undefined) return missingAccess;
        if (roles === undefined) return unknownMember;
        const until = guild.timeouts?.get(user) ?? null;
        return {
          status: 200,
          body: {
            user: { id: user },
            roles: [...roles],
            pending: false,
            communication_disabled_until: until,
          },
        };
      },
    },
    {
      method: 'GET',
      path: /^\/channels\/(\d+)$/,
      bucket: 'channel',
      answer([id = '']) {
        const channel = world.channels.get(id);
        if (channel === undefined) return { status: 404, body: { code: 10003, message: 'Unknown Channel' } };
        if (!channel.canView) return missingAccess;
        const { type, name, guild_id, parent_id, overwrites = [] } = channel;
        const recipients = type === 1 ? [{ id: name.replace('dm-', '') }] : undefined;
        return {
          status: 200,
          body: { id, type, name, guild_id, parent_id, permission_overwrites: overwrites, recipients },
        };
      },
    },
  ];
  return {
    routes,
    /** Answers what needs no bot's token. */
    answer: (request: IncomingMessage, path: string, form: URLSearchParams): Reply | undefined =>
      request.headers.authorization?.startsWith('Bot ')
        ? undefined
        : open.find((each) => each.path === path)?.answer(request, form),
    /** Authorizes the application as a person does in the browser. Returns where the browser is led. */
    authorize(address: string, user: { readonly id: string; readonly username: string }): string {
      const { origin, pathname, searchParams: query } = new URL(address);
      const redirect = query.get('redirect_uri') ?? '';
      if (
        `${origin}${pathname}` !== 'https://discord.com/oauth2/authorize' ||
        query.get('client_id') !== world.application ||
        query.get('response_type') !== 'code' ||
        query.get('scope') !== 'identify' ||
        !redirects.includes(redirect)
      )
        throw new Error('Discord shows an error in place of the question');
      const code = randomBytes(15).toString('base64url');
      codes.set(code, { user: { ...user, discriminator: '0', global_name: null, avatar: null }, redirect });
      const back = new URL(redirect);
      back.searchParams.set('code', code);
      back.searchParams.set('state', query.get('state') ?? '');
      return back.href;
    },
  };
}
