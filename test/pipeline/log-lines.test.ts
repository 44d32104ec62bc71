import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createPace } from '#src/runtime/pace.ts';
import { second } from '#src/runtime/units.ts';
import { change, receiver, silence, start } from '#test/support/alerts.ts';
import { fakeClock } from '#test/support/clock.ts';
import { ownPipeline } from '#test/support/own-pipeline.ts';

it('log lines about failed and held-back messages name a receiver as its platform shows it', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line) => void lines.push(line) });
  const clock = fakeClock(start);
  const connection = { send: () => Promise.reject(new TypeError('a defect in a notifier')) };
  const f = await ownPipeline({
    clock,
    log,
    outlets: [
      {
        ...{ name: 'web', connection, concurrency: 8, pace: createPace({}, clock) },
        shown: ({ room }) => ({ room: `${String(room).slice(0, 3)}…` }),
      },
    ],
  });
  await f.subscribe({ receiver: receiver('key-to-all') });
  await f.report([change()]);
  await f.store.silences.add(silence({ receiver: receiver('key-to-all') }));
  await f.report([change({ symbol: 'ETHUSDT' })]);
  await f.clock.advance(second);
  const named = lines.filter((line) => line.includes('"receiver"'));
  expect(named.find((line) => line.includes('error in a notifier'))).toMatch(
    /"alerts":\["[0-9a-f]{16}-\w+@1"\]/,
  );
  expect(named.some((line) => line.includes('"stage":"silence"'))).toBe(true);
  expect(named.filter((line) => !line.includes('key…'))).toEqual([]);
  expect(lines.filter((line) => line.includes('key-to-all'))).toEqual([]);
});

it('at the level debug an alert can be followed from its detector to its messages', async () => {
  const lines: { msg: string; alerts: string[]; outcome?: string }[] = [];
  const log = pino({ level: 'debug' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const f = await ownPipeline({ log });
  await f.subscribe();
  await f.report([change()]);
  await f.report([change({ status: 'updated' })]);
  const [id] = lines[0]?.alerts[0]?.split('@') ?? [];
  expect(lines.map(({ msg, alerts, outcome }) => [msg, alerts, outcome])).toEqual([
    ['alerts announced', [`${id}@1`], undefined],
    ['a message arrived', [`${id}@1`], 'sent'],
    ['alerts announced', [`${id}@2`], undefined],
    ['a message arrived', [`${id}@2`], 'edited'],
  ]);
});
