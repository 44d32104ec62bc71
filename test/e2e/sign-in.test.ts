import { request } from 'undici';
import { expect, it } from 'vitest';
import { clientSecret } from '#test/support/discord/oauth.ts';
import { newcomer, signInReturn } from '#test/support/newcomer.ts';

const operatorToken = 'the-operators-own-token';
const { origin, host } = new URL(signInReturn);
const ann = { id: '80351110224678912', username: 'ann' };

it('a member signs in by Discord once it is connected with its secret, and manages what he manages there', async () => {
  const { url, discord, written } = await newcomer({
    TOCSIN_HTTP_TOKEN: operatorToken,
    TOCSIN_HTTP_URL: origin,
  });
  const ask = async (
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    { body, headers }: { body?: object; headers: Record<string, string> },
  ) => {
    const answer = await request(url + path, {
      method,
      headers: { host, origin, ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const cookies = [answer.headers['set-cookie'] ?? []].flat().map((each) => each.split('; ')[0]);
    return { status: answer.statusCode, json: (await answer.body.json()) as never, cookies };
  };
  const operator = { authorization: `Bearer ${operatorToken}` };
  const connecting = '/api/connecting/discord';
  const options = { token: discord.token, clientSecret };
  expect((await ask('PUT', connecting, { body: { options }, headers: operator })).status).toBe(200);
  const { guild, channel } = discord.addGuild('Traders');
  const place = { guildId: guild.id, channelId: channel.id };
  await ask('POST', `${connecting}/subscription`, { body: { place }, headers: operator });

  const begun = await ask('POST', '/api/sign-in/discord', { body: {}, headers: {} });
  const back = new URL(discord.authorize((begun.json as { url: string }).url, ann));
  const query = back.search.slice(1);
  const finish = (cookie: string) =>
    ask('POST', '/api/sign-in/discord', { body: { query }, headers: { cookie } });
  expect((await finish('')).status).toBe(403);
  const signedIn = await finish(begun.cookies.join('; '));
  expect(signedIn.status).toBe(200);
  const headers = { cookie: signedIn.cookies[0] ?? '' };
  expect((await ask('GET', '/api/places', { headers })).json).toEqual([]);

  guild.members.set(ann.id, new Set());
  const room = `discord:${guild.id}/${channel.id}`;
  const say = async (line: string) => {
    const { status, json } = await ask('POST', '/api/commands', { body: { line, room }, headers });
    return { status, title: (json as { card?: { title: string } }).card?.title };
  };
  expect(await say('subscriptions')).toMatchObject({ status: 200 });
  expect(await say('subscribe quiet')).toMatchObject({ status: 200, title: 'Can’t do that' });
  guild.roles.push({
    id: '900000000000000000',
    name: 'boss',
    mentionable: false,
    permissions: String(1 << 5),
  });
  guild.members.set(ann.id, new Set(['900000000000000000']));
  expect((await say('subscribe quiet')).title).toMatch(/^Subscribed/);
  expect((await ask('GET', '/api/places', { headers })).json).toEqual([
    { room, name: 'Traders · #general', manages: true },
  ]);
  for (const secret of [clientSecret, discord.token, headers.cookie.split('=')[1] ?? ''])
    expect(written.join('\n')).not.toContain(secret);
});
