import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';

const source = (name: string) =>
  JSON.stringify(new URL(`../../src/runtime/${name}.ts`, import.meta.url).href);

/** Runs a process under a watchdog of 800 ms with this code. */
async function watched(what: string, before = '') {
  const script = `
    ${before}
    const { startWatchdog } = await import(${source('watchdog')});
    const { wallClock } = await import(${source('clock')});
    const watchdog = await startWatchdog({ wall: wallClock, after: 800, onError: console.error });
    ${what}`;
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '-e', `(async () => {${script}})()`],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  let written = '';
  child.stderr.on('data', (chunk) => {
    written += chunk;
  });
  const [code, signal] = await once(child, 'close');
  return { code, signal, written };
}

it('ends a process whose event loop is blocked, and says why on one line', async () => {
  const { signal, written } = await watched('for (;;);');
  expect(signal).toBe('SIGKILL');
  expect(
    written
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    expect.objectContaining({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      msg: expect.stringContaining('the event loop has not turned'),
    }),
  ]);
});

it('does nothing to a process that runs, and ends with it', async () => {
  const { code, written } = await watched('await wallClock.sleep(2_000); await watchdog.stop();');
  expect([code, written]).toEqual([0, '']);
});

it('does nothing to a process that a debugger may hold at a breakpoint', async () => {
  const held = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000); await watchdog.stop();';
  const { code, written } = await watched(held, "(await import('node:inspector')).open(0, '127.0.0.1');");
  expect(code).toBe(0);
  expect(written).not.toContain('event loop');
});
