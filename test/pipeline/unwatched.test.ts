import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Change, dataBlind } from '#src/alert/alert.ts';
import { defineDetector } from '#src/detectors/detector.ts';
import { minute } from '#src/runtime/units.ts';
import { change, receiver } from '#test/support/alerts.ts';
import { subscribed } from '#test/support/own-pipeline.ts';
import type { PipelineFixture } from '#test/support/pipeline.ts';
import { inTest, watchOn } from '#test/support/watching.ts';

const inhibitRules = [
  {
    by: { kind: 'data-quality', minSeverity: 'critical' as const },
    holds: ['funding-extreme', 'oi-momentum'],
  },
];
const down = change({ kind: 'data-quality', symbol: '', severity: 'critical', title: 'Data is down' });
const momentum = change({ kind: 'oi-momentum' });

let f: PipelineFixture;
beforeEach(async () => {
  f = await subscribed({}, { inhibitRules });
});

/** Runs these detectors for a minute, with these changes in each run. Returns the states that the runs began with. */
async function watch(names: readonly string[], changes: readonly Change[] = []): Promise<unknown[]> {
  const states: unknown[] = [];
  const detectors = names.map((name) =>
    defineDetector({
      name,
      ...inTest,
      schedule: '0 * * * * *',
      state: z.object({ runs: z.number() }),
      observe: async () => {},
      step(state) {
        states.push(state);
        return { state: { runs: (state?.runs ?? 0) + 1 }, changes };
      },
    }),
  );
  const watching = watchOn(f, detectors).start(f.pipeline);
  await f.clock.advance(minute);
  await watching.stop();
  return states;
}

const seen = () => f.sent.map(({ act, notification: { card } }) => `${act} ${card.title} [${card.status}]`);
const firing = async () => (await f.store.alerts.firing()).map(({ labels }) => labels.kind).sort();

describe('an alert of a detector that is turned off', () => {
  it('ends, says why, and releases what it held back', async () => {
    await f.report([down]);
    await f.report([change()]);
    await watch(['funding-extreme', 'oi-momentum']);
    expect(seen().sort()).toEqual([
      'edit Data is down [ended]',
      'send BTCUSDT funding-extreme [firing]',
      'send Data is down [firing]',
    ]);
    const end = f.sent.find(({ act }) => act === 'edit');
    expect(end?.notification.card.summary).toContain('It is no longer watched');
  });

  it('is not released only to end, if the detector of what holds it back is turned off, too', async () => {
    await f.report([down]);
    await f.report([change(), momentum]);
    await f.skip(minute);
    await f.report([{ ...down, status: 'updated' }]);
    await watch(['basis-flip']);
    expect(seen().filter((line) => !line.includes('Data is down'))).toEqual([]);
    expect(await firing()).toEqual([]);
  });

  it.each<[string, readonly string[], Change]>([
    ['says that data is missing', ['funding-extreme'], change({ kind: dataBlind })],
    ['is for one place alone', ['funding-extreme'], change({ kind: 'own', only: receiver('mine') })],
    ['is about a market that is not watched at all', [], change()],
  ])('does not end if it %s', async (_, watched, given) => {
    await f.report([given]);
    await watch(watched);
    expect(f.sent.map(({ act }) => act)).toEqual(['send']);
  });

  it('is forgotten by the detector, which begins with a baseline when it is turned on again', async () => {
    await watch(['funding-extreme'], [change()]);
    await watch(['oi-momentum']);
    expect(await firing()).toEqual([]);
    expect((await watch(['funding-extreme']))[0]).toBeUndefined();
  });
});

describe('an alert whose detector has a state from another version', () => {
  it('ends, so that the next one of the same labels is posted', async () => {
    await f.report([change(), momentum], 0, 'funding-extreme');
    await watch(['funding-extreme', 'oi-momentum']);
    expect(await firing()).toEqual(['oi-momentum']);
    await f.skip(minute);
    await f.report([change()]);
    expect(seen().filter((line) => line.includes('funding-extreme'))).toEqual([
      'send BTCUSDT funding-extreme [firing]',
      'edit BTCUSDT funding-extreme [ended]',
      'send BTCUSDT funding-extreme [firing]',
    ]);
  });
});
