import { createServer, type RequestListener } from 'node:http';
import { Agent } from 'undici';
import { expect, it, onTestFinished } from 'vitest';
import { requestText } from '#src/runtime/request-text.ts';
import { onLoopback } from '#test/support/loopback.ts';

const never = new AbortController().signal;

/** Asks a server of its own, over a single connection. */
async function asking(listener: RequestListener) {
  const server = await onLoopback(createServer(listener));
  const dispatcher = new Agent({ connections: 1, maxResponseSize: 1_000 });
  onTestFinished(async () => {
    await dispatcher.destroy();
    await server.close();
  });
  const url = `${server.url}/path?query=1`;
  return (given: Partial<Parameters<typeof requestText>[1]> = {}) =>
    requestText(url, {
      dispatcher,
      method: 'POST',
      headers: { 'x-mine': 'yes' },
      body: null,
      signal: never,
      ...given,
    });
}

it('sends the path, the headers and the body', async () => {
  const ask = await asking(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    response.end(`${request.method} ${request.url} ${request.headers['x-mine']} ${body}`);
  });
  expect(await ask({ body: 'a body' })).toMatchObject({
    status: 200,
    text: 'POST /path?query=1 yes a body',
  });
});

it('returns the status, the headers and the text of any response, without a byte order mark', async () => {
  const ask = await asking((_, response) => {
    response.writeHead(429, { 'retry-after': '3' }).end('\uFEFFslow down');
  });
  const answer = await ask();
  expect(answer).toMatchObject({ status: 429, text: 'slow down' });
  expect(answer.headers['retry-after']).toBe('3');
});

it('returns an empty text for a response without a body', async () => {
  const ask = await asking((_, response) => {
    response.writeHead(204).end();
  });
  expect(await ask()).toMatchObject({ status: 204, text: '' });
});

it('reads a character whose bytes arrive in two parts', async () => {
  const ask = await asking((_, response) => {
    const bytes = Buffer.from('5 €');
    response.write(bytes.subarray(0, 3));
    response.end(bytes.subarray(3));
  });
  expect((await ask()).text).toBe('5 €');
});

it('rejects if the response breaks off or is too long', async () => {
  const broken = await asking((_, response) => {
    response.writeHead(200, { 'content-length': '10' }).write('half');
    response.socket?.end();
  });
  await expect(broken()).rejects.toThrow();
  const long = await asking((_, response) => {
    response.end('x'.repeat(2_000));
  });
  await expect(long()).rejects.toMatchObject({ code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE' });
});

it('reads only the beginning of a response that is longer than asked for', async () => {
  const ask = await asking((_, response) => {
    response.write('x'.repeat(20));
  });
  expect(await ask({ maxBytes: 10 })).toMatchObject({ status: 200, text: 'x'.repeat(20) });
});

it('ends after its timeout, however steadily the response drips; where only the status matters, with that', async () => {
  const ask = await asking((_, response) => {
    response.writeHead(202);
    const drip = setInterval(() => response.write('.'), 10);
    response.on('close', () => clearInterval(drip));
  });
  await expect(ask({ timeout: 200 })).rejects.toMatchObject({ name: 'TimeoutError' });
  expect(await ask({ timeout: 200, onlyStatus: true })).toMatchObject({ status: 202 });
});

it('rejects with the reason of its signal, whether the request was sent or still waits for a connection', async () => {
  const asked = Promise.withResolvers<void>();
  let requests = 0;
  const ask = await asking(() => {
    requests += 1;
    asked.resolve();
  });
  const [first, second] = [new AbortController(), new AbortController()];
  const answers = [ask({ signal: first.signal }), ask({ signal: second.signal })].map((answer) =>
    answer.catch((error: unknown) => error),
  );
  await asked.promise;
  const reason = new Error('called off');
  second.abort(reason);
  expect(await answers[1]).toBe(reason);
  first.abort(reason);
  expect(await answers[0]).toBe(reason);
  expect(requests).toBe(1);
});

it('sends nothing if its signal has already aborted', async () => {
  const ask = await asking((_, response) => {
    response.end('sent');
  });
  const reason = new Error('called off');
  await expect(ask({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});
