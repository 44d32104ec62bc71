import { createServer } from 'node:http';
import { Agent } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { askHttp } from '#src/platforms/ask-http.ts';
import { onLoopback } from '#test/support/loopback.ts';

test('of an answer that does not end some 64 kB are read, and no more is waited for', async () => {
  const piece = 'x'.repeat(16 * 1_024);
  const server = createServer((request, response) => {
    request.resume();
    const write = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on('drain', write);
    write();
  });
  const { url, close } = await onLoopback(server);
  const agent = new Agent();
  onTestFinished(async () => {
    await agent.destroy();
    await close();
  });
  const signal = new AbortController().signal;
  const { status, text } = await askHttp(url, { body: '{}', headers: {}, agent, timeout: 30_000, signal });
  expect(status).toBe(200);
  expect(text.length).toBeGreaterThan(64 * 1_024);
  expect(text.length).toBeLessThan(256 * 1_024);
});
