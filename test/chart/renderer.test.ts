import { afterEach, describe, expect, it } from 'vitest';
import type { Chart } from '#src/alert/alert.ts';
import { type ChartRenderer, createChartRenderer, type RendererOptions } from '#src/chart/renderer.ts';
import { fakeClock } from '#test/support/clock.ts';
import { charts } from './charts.ts';

const options = { theme: 'dark', language: 'en', timeZone: 'UTC' } as const;
const price = charts.price as Chart<string>;
const titled = (title: string): Chart<string> => ({ ...price, title });
const entry = (name: string) => new URL(`./threads/${name}.ts`, import.meta.url);

let open: ChartRenderer[] = [];
afterEach(async () => {
  await Promise.all(open.map((renderer) => renderer.close()));
  open = [];
});

function start(given: RendererOptions = {}) {
  const warnings: string[] = [];
  const warn = (fields: { err?: Error }, message: string) =>
    warnings.push(`${message}: ${fields.err?.message ?? ''}`);
  // Time passes only as a test lets it, so that a busy machine does not seem slow.
  const renderer = createChartRenderer({ log: { warn: warn as never }, wall: fakeClock(), ...given });
  open.push(renderer);
  return { renderer, warnings, draw: (title: string) => renderer.render(titled(title), options) };
}

describe('a renderer', () => {
  it('draws in its thread, and returns a description in words', async () => {
    const { renderer, warnings } = start();
    const picture = await renderer.render(price, options);
    expect(Buffer.from(picture?.png.subarray(1, 4) ?? []).toString('latin1')).toBe('PNG');
    expect(picture?.alt).toMatch(/^Price over 24 h, .* rose from/);
    expect(warnings).toEqual([]);
  });

  it('draws once what many request, at once or later', async () => {
    const { renderer } = start({ entry: entry('dying') });
    const [one, two] = await Promise.all([
      renderer.render(price, options),
      renderer.render({ ...price }, options),
    ]);
    expect(two).toBe(one);
    expect(await renderer.render(price, options)).toBe(one);
    expect(await renderer.render(price, { ...options, theme: 'light' })).not.toBe(one);
  });

  it('forgets the least recently used charts', async () => {
    const { draw } = start({ entry: entry('dying') });
    const first = await draw('first');
    for (let index = 0; index < 64; index++) await draw(`${index}`);
    expect(await draw('first')).not.toBe(first);
  });
});

describe('without a picture a message goes without it, and the next message gets its own', () => {
  it.each([
    ['throws', 'killed by a chart'],
    ['exits', 'ended with code 3'],
    ['runs out of memory', 'memory limit'],
    ['cannot', 'no such shape'],
  ])('the thread %s', async (title, reason) => {
    const { draw, warnings } = start({ entry: entry('dying') });
    const [failed, next] = await Promise.all([draw(title), draw('next')]);
    expect(failed).toBeUndefined();
    expect(next?.png.byteLength).toBe(3);
    expect(warnings.join()).toContain(reason);
  });

  it('a chart that failed is not tried again for a minute', async () => {
    const wall = fakeClock();
    const { draw, warnings } = start({ entry: entry('dying'), wall });
    await draw('throws');
    await wall.advance(59_999);
    expect(await draw('throws')).toBeUndefined();
    expect(warnings).toHaveLength(1);
    await wall.advance(1);
    expect(await draw('throws')).toBeUndefined();
    expect(warnings).toHaveLength(2);
  });

  it('a hanging thread is given up after 5 s', async () => {
    const wall = fakeClock();
    const { draw, warnings } = start({ entry: entry('hanging'), wall });
    const answers: unknown[] = [];
    const asked = draw('slow').then((picture) => answers.push(picture));
    await wall.advance(4_999);
    expect(answers).toEqual([]);
    await wall.advance(1);
    await asked;
    expect(answers).toEqual([undefined]);
    expect(warnings.join()).toContain('not drawn yet');
  });

  it('a hanging thread is ended if its first picture takes 30 s, and the next picture is drawn by another', async () => {
    const wall = fakeClock();
    const { draw, warnings } = start({ entry: entry('hanging'), wall });
    const asked = draw('slow');
    await wall.advance(5_000);
    expect(await asked).toBeUndefined();
    await wall.advance(25_000);
    expect(warnings.join()).toContain('said nothing for 30000 ms');
  });

  it('a thread that starts slowly is not ended, and no message waits for it twice', async () => {
    const wall = fakeClock();
    const { draw, warnings } = start({ entry: entry('waiting'), wall });
    const asked = draw('slow');
    await wall.advance(5_000);
    expect(await asked).toBeUndefined();
    const again = draw('slow');
    const channel = new BroadcastChannel('let it draw');
    // The thread may not listen yet.
    const letting = setInterval(() => channel.postMessage(null), 5);
    expect((await again)?.png).toEqual(Uint8Array.of(1));
    clearInterval(letting);
    channel.close();
    expect(warnings).toHaveLength(1);
  });

  it('a thread that cannot be started', async () => {
    const { draw, warnings } = start({ entry: entry('missing') });
    expect(await draw('any')).toBeUndefined();
    expect(warnings.join()).toContain('missing');
  });

  it('too many waiting charts: later ones go without at once, and may be requested again', async () => {
    const wall = fakeClock();
    const { renderer, draw, warnings } = start({ entry: entry('hanging'), wall });
    const waiting = Array.from({ length: 32 }, (_, index) => draw(`${index}`));
    expect(await draw('one more')).toBeUndefined();
    expect(warnings).toEqual(['too many charts are waiting to be drawn: the message goes without: ']);
    await renderer.close();
    expect((await Promise.all(waiting)).every((picture) => picture === undefined)).toBe(true);
  });

  it('a chart with more points than can be seen', async () => {
    const { renderer, warnings } = start();
    const points = Array.from({ length: 20_001 }, (_, index) => [index, 1] as const);
    expect(await renderer.render({ ...price, series: [{ name: 'x', points }] }, options)).toBeUndefined();
    expect(warnings.join()).toContain('20001 points');
  });

  it('an invalid time zone', async () => {
    const { renderer, warnings } = start({ entry: entry('dying') });
    expect(
      await renderer.render(price, { theme: 'dark', language: 'en', timeZone: 'Mars/Olympus' }),
    ).toBeUndefined();
    expect(warnings.join()).toContain('Mars/Olympus');
  });

  it('a closed renderer', async () => {
    const { renderer, warnings } = start();
    await renderer.close();
    expect(await renderer.render(price, options)).toBeUndefined();
    expect(warnings).toEqual([]);
  });
});

describe('the thread', () => {
  it('ends when idle and is started again on request', async () => {
    const wall = fakeClock();
    const { draw } = start({ entry: entry('counting'), wall });
    expect((await draw('one'))?.png).toEqual(Uint8Array.of(1));
    await wall.advance(300_000);
    expect((await draw('two'))?.png).toEqual(Uint8Array.of(1));
  });

  it('stays once it was warmed up, and has drawn before the first request', async () => {
    const wall = fakeClock();
    const { renderer, draw } = start({ entry: entry('counting'), wall });
    await renderer.warm();
    const first = (await draw('one'))?.png[0] ?? 0;
    expect(first).toBeGreaterThan(1);
    await wall.advance(300_000);
    expect((await draw('two'))?.png).toEqual(Uint8Array.of(first + 1));
  });

  it('warms up without a warning, because the sample can be drawn', async () => {
    const { renderer, warnings } = start();
    await renderer.warm();
    expect(warnings).toEqual([]);
  });
});
