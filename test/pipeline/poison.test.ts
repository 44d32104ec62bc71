import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DeliveryError } from '#src/language/errors.ts';
import { hour, second } from '#src/runtime/units.ts';
import { change, receiver, start } from '#test/support/alerts.ts';
import { ownFolder } from '#test/support/folder.ts';
import { type ownPipeline, subscribed } from '#test/support/own-pipeline.ts';
import { type PipelineFixture, recorder } from '#test/support/pipeline.ts';

/** Runs a pipeline on a database file, with a second connection that bypasses the store. */
async function fixture(
  given: Parameters<typeof ownPipeline>[0] = {},
  wanted: Parameters<PipelineFixture['subscribe']>[0] = {},
) {
  const path = `${await ownFolder()}/bot.db`;
  const f = await subscribed(wanted, { url: `file:${path}`, ...given });
  const raw = new DatabaseSync(path);
  onTestFinished(() => raw.close());
  const titles = (name: string) =>
    f.sent.filter(({ room }) => room === name).map(({ notification }) => notification.card.title);
  return { ...f, raw, titles };
}

describe('a defective item delays nothing but itself:', () => {
  it('an alert that cannot be read fails, with the reason in the delivery log', async () => {
    const f = await fixture();
    await f.store.sending.pause({ by: 'op', at: start });
    await f.report([change({ symbol: 'BTCUSDT' }), change({ symbol: 'ETHUSDT' })]);
    f.raw.exec(`UPDATE alert SET body = json_remove(body, '$.event') WHERE body LIKE '%BTCUSDT%'`);
    await f.store.sending.resume();
    await f.clock.advance(second);
    expect(f.titles('a')).toEqual(['ETHUSDT funding-extreme']);
    expect((await f.outcomes('a')).sort()).toEqual(['failed: its stored record is unreadable', 'sent']);
  });

  it('an episode that cannot be read ends, and another may begin', async () => {
    const f = await fixture();
    await f.report([change()]);
    f.raw.exec(`UPDATE alert SET body = '{}'`);
    await f.clock.advance(second);
    await f.report([change({ status: 'updated', title: 'BTC again' })]);
    await f.clock.advance(second);
    expect(f.titles('a')).toEqual(['BTCUSDT funding-extreme', 'BTC again']);
  });

  it('a dispatch that cannot be read is tried three times, and those behind it proceed at once', async () => {
    const f = await fixture();
    f.raw.exec(
      `INSERT INTO dispatch (alert_id, revision, group_key, body, due, at, urgent) VALUES ('x', 1, 'x', '{', 0, 0, 0)`,
    );
    await f.report([change()]);
    expect(f.titles('a')).toEqual(['BTCUSDT funding-extreme']);
    await f.clock.advance(5 * second);
    expect(f.raw.prepare('SELECT count(*) AS left FROM dispatch').get()).toEqual({ left: 0 });
  });

  const digest = { every: 'day', at: '08:00', timeZone: 'Nowhere/At_All', weekday: 1 } as never;

  it.each([
    ['a zone there is not', { digest }, ''],
    ['a subscription that cannot be read', {}, `UPDATE subscription SET quiet_hours = '{'`],
    ['criteria that cannot be read', {}, `UPDATE matcher SET kinds = '{'`],
    ['criteria that are none', {}, `UPDATE matcher SET symbols = 'null'`],
  ])('a subscription fails alone: %s', async (_, wanted, sql) => {
    const f = await fixture({}, wanted);
    f.raw.exec(sql);
    await f.subscribe({ receiver: receiver('b'), minSeverity: 'warning' });
    await f.report([change()]);
    expect(f.titles('b')).toEqual(['BTCUSDT funding-extreme']);
    expect(await f.outcomes('a')).toEqual([
      expect.stringMatching(/^failed: (a bug in Tocsin: .*zone|a subscription cannot be read)/),
    ]);
  });

  it('a preference that cannot be read counts as not set', async () => {
    const f = await fixture();
    await f.store.preferences.set(receiver('a'), { language: 'es' });
    f.raw.exec(`UPDATE preferences SET chosen = '{'`);
    await f.report([change()]);
    expect(f.titles('a')).toEqual(['BTCUSDT funding-extreme']);
  });

  const nowhere = { from: '00:00', to: '23:59', timeZone: 'Nowhere/At_All' };

  it.each([
    ['alone', null],
    ['with a digest', { every: 'hour', at: '08:00', timeZone: 'UTC' } as const],
  ])('quiet hours of a zone there is not count as none, and cost nobody else: %s', async (_, digest) => {
    const f = await fixture({}, { quietHours: nowhere, digest });
    await f.subscribe({ receiver: receiver('b') });
    await f.report([change()]);
    if (digest !== null) await f.clock.advance(hour);
    expect(f.titles('a')).toHaveLength(1);
    expect(f.titles('b')).toEqual(['BTCUSDT funding-extreme']);
  });

  it('a preferred zone there is not counts as not set', async () => {
    const f = await fixture();
    await f.store.preferences.set(receiver('a'), { language: 'es', timeZone: 'Nowhere/At_All' });
    expect(await f.store.preferences.of(receiver('a'))).toEqual({ language: 'es' });
    await f.report([change()]);
    expect(f.titles('a')).toHaveLength(1);
  });

  it('a card that always fails is tried three times, and later alerts are sent meanwhile', async () => {
    let tried = 0;
    const f = await fixture({
      recordOf(kind) {
        if (kind !== 'oi-momentum') return undefined;
        tried += 1;
        throw new TypeError('no such fact');
      },
    });
    await f.report([change({ kind: 'oi-momentum' }), change()]);
    expect(f.titles('a')).toEqual(['BTCUSDT funding-extreme']);
    await f.clock.advance(30 * second);
    expect(tried).toBe(3);
    expect(await f.outcomes('a')).toEqual(['failed: a bug in Tocsin: no such fact', 'sent']);
  });

  it('a dispatch that always fails for one change leaves out that change', async () => {
    const f = await fixture();
    const prediction = ({ symbol }: { readonly symbol?: string }) => {
      if (symbol === 'BTCUSDT') throw new TypeError('no such prediction');
      return null;
    };
    await f.pipeline.dispatch(
      { name: 'test', groupWait: 0, prediction },
      { state: {}, changes: [change({ symbol: 'BTCUSDT' }), change({ symbol: 'ETHUSDT' })] },
    );
    await f.clock.advance(1);
    expect(f.titles('a')).toEqual(['ETHUSDT funding-extreme']);
  });

  it('an edit that always fails is given up after three tries once edits elsewhere succeed', async () => {
    let tried = 0;
    const { sent, connection } = recorder(({ act, room }) => {
      if (act === 'send' || room === 'b') return;
      tried += 1;
      throw new DeliveryError({ kind: 'unavailable', accepted: 'unknown' }, '500');
    });
    const f = await fixture({ connection });
    await f.subscribe({ receiver: receiver('b') });
    await f.report([change()]);
    for (let n = 1; n <= 6; n += 1) {
      await f.report(n === 1 ? [change({ status: 'updated' })] : [change({ symbol: `S${n}USDT` })]);
      await f.clock.advance(10 * second);
    }
    expect(tried).toBeGreaterThanOrEqual(3);
    expect(await f.outcomes('a')).toContain('failed: 500');
    expect(sent.filter(({ act, room }) => act === 'send' && room === 'a')).toHaveLength(6);
  });

  it('an update is tried until it is accepted where nothing can be edited, because it is a post', async () => {
    let away = false;
    const { sent, connection } = recorder(({ room }) => {
      if (away && room === 'a') throw new DeliveryError({ kind: 'unavailable', accepted: 'unknown' }, '500');
    });
    const { send } = connection;
    const f = await fixture({ connection: { send } });
    await f.subscribe({ receiver: receiver('b') });
    await f.report([change()]);
    away = true;
    for (let n = 1; n <= 4; n += 1) {
      await f.report([
        change({ status: 'updated', annotations: { ...change().annotations, title: `${n}` } }),
      ]);
      await f.clock.advance(8 * second);
    }
    away = false;
    await f.clock.advance(40 * second);
    expect(sent.filter(({ room }) => room === 'a')).toHaveLength(2);
    expect(await f.outcomes('a')).toContain('sent: possibly doubled');
    expect(await f.outcomes('a')).not.toContain('failed: 500');
  });

  it('edits wait for new posts', async () => {
    const f = await fixture();
    await f.report([change({ symbol: 'BTCUSDT' }), change({ symbol: 'ETHUSDT' })]);
    await f.store.sending.pause({ by: 'op', at: start });
    await f.report([change({ symbol: 'BTCUSDT', status: 'updated' })]);
    await f.report([change({ symbol: 'SOLUSDT' })]);
    await f.store.sending.resume();
    await f.clock.advance(second);
    expect(f.sent.slice(2).map(({ act, notification }) => `${act} ${notification.card.title}`)).toEqual([
      'send SOLUSDT funding-extreme',
      'edit BTCUSDT funding-extreme',
    ]);
  });
});
