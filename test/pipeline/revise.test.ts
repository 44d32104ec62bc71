import { describe, expect, it } from 'vitest';
import { msg } from '#src/language/text.ts';
import { hour } from '#src/runtime/units.ts';
import { change, start } from '#test/support/alerts.ts';
import { ownPipeline } from '#test/support/own-pipeline.ts';

async function fixture(given: Parameters<typeof ownPipeline>[0] = {}) {
  const f = await ownPipeline({ market: 'live', ...given });
  const dispatch = async (changes: readonly ReturnType<typeof change>[], prediction: 'up' | null = 'up') => {
    await f.pipeline.dispatch(
      { name: 'test', groupWait: 0, prediction: () => prediction },
      { state: {}, changes },
    );
    await f.clock.advance(1);
  };
  return { ...f, dispatch };
}

describe('the record', () => {
  it('begins when an alert fires, has the alert’s market, and counts the alert once it was sent', async () => {
    const f = await fixture();
    await f.subscribe();
    await f.dispatch([change()]);
    expect(await f.store.outcomes.due('live', { now: start, limit: 9 })).toMatchObject([
      { symbol: 'BTCUSDT', at: start },
    ]);
    expect(await f.store.outcomes.posted('live')).toMatchObject([
      { kind: 'funding-extreme', symbol: 'BTCUSDT', prediction: 'up', firedAt: start },
    ]);
  });

  it('does not count an alert that was sent to nobody', async () => {
    const f = await fixture();
    await f.dispatch([change()]);
    expect(await f.store.outcomes.due('live', { now: start, limit: 9 })).toHaveLength(1);
    expect(await f.store.outcomes.posted('live')).toEqual([]);
  });

  it('counts an alert once however it changes, and again when it fires again', async () => {
    const f = await fixture();
    await f.subscribe();
    await f.dispatch([change()]);
    await f.dispatch([change({ status: 'updated', severity: 'critical' })]);
    await f.dispatch([change({ status: 'resolved' })]);
    expect(await f.store.outcomes.posted('live')).toHaveLength(1);
    await f.skip(hour);
    await f.dispatch([change()]);
    expect(await f.store.outcomes.posted('live')).toHaveLength(2);
  });

  it('leaves out alerts that predict nothing about the price', async () => {
    const f = await fixture();
    await f.dispatch([change()], null);
    await f.report([change({ symbol: 'ETHUSDT' })]);
    expect(await f.store.outcomes.due('live', { now: start, limit: 9 })).toEqual([]);
  });
});

describe('an alert’s card', () => {
  const fact = { name: msg('Record'), value: msg('no evidence yet') };
  const facts = async (changes: readonly ReturnType<typeof change>[]) => {
    const f = await fixture({ recordOf: (kind) => (kind === 'funding-extreme' ? fact : undefined) });
    await f.subscribe();
    await f.pipeline.dispatch({ name: 'test', groupWait: hour }, { state: {}, changes });
    await f.clock.advance(1);
    await f.skip(hour);
    return (f.sent[0]?.notification.card.facts ?? []).map(({ name }) => name);
  };

  it.each([
    ['tells the record of its kind', [change()], ['z', 'Record']],
    ['of several of one kind too', [change(), change({ symbol: 'ETHUSDT' })], ['z', 'Record']],
    ['of a kind without one tells none', [change({ kind: 'data-quality' })], ['z']],
  ])('%s', async (_, changes, names) => {
    expect(await facts(changes)).toEqual(names);
  });
});
