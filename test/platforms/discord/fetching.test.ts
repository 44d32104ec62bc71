import { createServer } from 'node:http';
import { REST } from 'discord.js';
import { expect, onTestFinished, test } from 'vitest';
import { fetchWithNode } from '#src/platforms/discord/connection.ts';
import { onLoopback } from '#test/support/loopback.ts';

/** Starts a server that closes the connection of the first request without a response, and answers later ones. */
async function hangingUp() {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    heard.push(`${request.method} ${request.url}`);
    request.resume().on('end', () => {
      if (heard.length === 1) request.socket.end();
      else response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  const { url, close } = await onLoopback(server);
  onTestFinished(close);
  const rest = new REST({ api: url, makeRequest: fetchWithNode }).setToken('token');
  onTestFinished(() => {
    rest.clearHashSweeper();
    rest.clearHandlerSweeper();
  });
  return { rest, heard };
}

test.each([
  ['an answer that is edited', 'patch', '/webhooks/1/token/messages/@original'],
  ['an interaction’s first answer, which is taken once', 'post', '/interactions/1/token/callback'],
  ['a question', 'get', '/users/@me'],
] as const)('%s is sent again if its connection was closed', async (_, method, path) => {
  const { rest, heard } = await hangingUp();
  expect(await rest[method](path, method === 'get' ? {} : { body: { content: 'hello' } })).toEqual({});
  expect(heard).toHaveLength(2);
  expect(heard[1]).toBe(heard[0]);
});

test('a request that would post twice is not sent again', async () => {
  const { rest, heard } = await hangingUp();
  await expect(rest.post('/channels/1/messages', { body: { content: 'hello' } })).rejects.toThrow(
    'closed the connection',
  );
  expect(heard).toHaveLength(1);
});
