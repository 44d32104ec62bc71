import { describe, expect, test } from 'vitest';
import { minute, second } from '#src/runtime/units.ts';
import { change, receiver } from '#test/support/alerts.ts';
import { ownPipeline, subscribed } from '#test/support/own-pipeline.ts';
import { type PipelineFixture, recorder, switchable } from '#test/support/pipeline.ts';

let f: PipelineFixture;

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
    async (_, reported, wanted, loud) => {
      f = await subscribed({}, { universe: () => ['BTCUSDT'] });
      await f.subscribe(wanted);
      await f.report([reported]);
      expect(f.sent.map(({ notification }) => notification.loud)).toEqual([loud]);
    },
  );

  test.each([
    ['an own alert', own],
    ['a critical one', (given: Parameters<typeof change>[0]) => change({ ...critical, ...given })],
  ])('is never made for an alert that ended before it could be sent: %s', async (_, of) => {
    const { sent, connection, state } = switchable();
    state.away = true;
    f = await subscribed({ mention: '1' }, { connection });
    await f.report([of({})]);
    await f.report([of({ status: 'resolved' })]);
    state.away = false;
    await f.clock.advance(10 * second);
    expect(sent.map(({ notification: { loud, mention } }) => ({ loud, mention }))).toEqual([{ loud: false }]);
  });

  test('is not made by an edit, even if the platform has to post the edit as a new message', async () => {
    const { sent, connection } = recorder();
    f = await ownPipeline({ connection: { send: connection.send } });
    await f.report([own()]);
    await f.skip(minute);
    await f.report([own({ status: 'updated' })]);
    expect(sent.map(({ notification }) => notification.loud)).toEqual([true, false]);
  });
});
