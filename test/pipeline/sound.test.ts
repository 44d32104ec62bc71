import { afterEach, describe, expect, test } from 'vitest';
import { DeliveryError } from '#src/language/errors.ts';
import { minute, second } from '#src/runtime/units.ts';
import { change, receiver, subscription } from '#test/support/alerts.ts';
import { pipelineFixture, recorder } from '#test/support/pipeline.ts';

let f: Awaited<ReturnType<typeof pipelineFixture>> | undefined;
afterEach(() => f?.close());

const own = (given: Parameters<typeof change>[0] = {}) =>
  change({ labels: { kind: 'own-rule', rule: 'r1', symbol: 'BTCUSDT' }, only: receiver(), ...given });
const critical = { severity: 'critical' } as const;

describe('the sound of a post', () => {
  const named = (...symbols: string[]) => ({ symbols });
  test.each([
    ['an own alert, whatever its severity', own({ severity: 'info' }), named(), true],
    ['what is critical', change(critical), {}, true],
    ['what is routine, of all markets', change(), {}, false],
    ['what is routine, of the largest', change(), named('top20'), false],
    ['a market that a subscription names', change(), named('ETHUSDT', 'BTCUSDT'), true],
    ['a market named for another kind', change(), { ...named('BTCUSDT'), kinds: ['x'] }, false],
  ])(
    'is made only for own alerts, critical ones and markets that are named: %s',
    async (_, reported, subscribed, loud) => {
      f = await pipelineFixture({ universe: () => ['BTCUSDT'] });
      await f.store.subscriptions.add(subscription());
      await f.store.subscriptions.add(subscription(subscribed));
      await f.report([reported]);
      expect(f.sent.map(({ notification }) => notification.loud)).toEqual([loud]);
    },
  );

  test.each([
    ['an own alert', own],
    ['a critical one', (given: Parameters<typeof change>[0]) => change({ ...critical, ...given })],
  ])('is never made for an alert that ended before it could be sent: %s', async (_, of) => {
    let reachable = false;
    const { sent, connection } = recorder(() => {
      if (!reachable) throw new DeliveryError({ kind: 'unavailable', accepted: 'no' }, '503');
    });
    f = await pipelineFixture({ connection });
    await f.store.subscriptions.add(subscription({ mention: '1' }));
    await f.report([of({})]);
    await f.report([of({ status: 'resolved' })]);
    reachable = true;
    await f.clock.advance(10 * second);
    expect(sent.map(({ notification: { loud, mention } }) => ({ loud, mention }))).toEqual([{ loud: false }]);
  });

  test('is not made by an edit, even if the platform has to post the edit as a new message', async () => {
    const { sent, connection } = recorder();
    f = await pipelineFixture({ connection: { send: connection.send } });
    await f.report([own()]);
    await f.skip(minute);
    await f.report([own({ status: 'updated' })]);
    expect(sent.map(({ notification }) => notification.loud)).toEqual([true, false]);
  });
});
