import { pino } from 'pino';
import { expect, it } from 'vitest';
import { groupCommit } from '#src/pipeline/settle.ts';
import { second } from '#src/runtime/units.ts';
import type { Claim, Settlement } from '#src/store/ports.ts';
import { change, receiver, start } from '#test/support/alerts.ts';
import { fakeClock } from '#test/support/clock.ts';
import { outcomeOf, pipelineFixture, recorder } from '#test/support/pipeline.ts';

const settlementOf = (key: string): Settlement => ({
  kind: 'failed',
  claim: { key, rows: [] as Claim['rows'] } as Claim,
  at: start,
  reason: { code: 'not_delivered', text: key },
});
const keyOf = ({ claim }: Settlement): string => claim.key;
const locked = () => Object.assign(new Error('database is locked'), { errcode: 5 });

function fixture(settle: (settlements: readonly Settlement[]) => void) {
  const clock = fakeClock(start);
  const stopping = new AbortController();
  const lines: string[] = [];
  const log = pino({}, { write: (line) => void lines.push(line) });
  const outbox = {
    async settle(given: readonly Settlement[]) {
      settle(given);
      return new Set<Claim>();
    },
  };
  const commit = groupCommit(outbox, { wall: clock, log, stopping: stopping.signal });
  return { clock, stopping, lines, commit };
}

it('settlements are retried in memory while the database refuses writes, and the log names the cause', async () => {
  const kept: string[] = [];
  const f = fixture((given) => {
    if (f.clock.now() < start + 600 * second) throw locked();
    kept.push(...given.map(keyOf));
  });
  const all = ['a', 'b', 'c'].map((key) => f.commit(settlementOf(key)));
  await f.clock.advance(599 * second);
  expect(kept).toEqual([]);
  await f.clock.advance(5 * second);
  expect(await Promise.all(all)).toEqual([true, true, true]);
  expect(kept).toEqual(['a', 'b', 'c']);
  expect(f.lines[0]).toContain('database is locked');
});

it('a failed batch of settlements is split, so that one bad settlement fails alone', async () => {
  const kept: string[] = [];
  const f = fixture((given) => {
    if (given.some((each) => keyOf(each) === 'd')) throw new TypeError('d cannot be bound');
    kept.push(...given.map(keyOf));
  });
  const all = [...'abcdefgh'].map((key) => f.commit(settlementOf(key)));
  const results = await Promise.allSettled(all);
  expect(results.map(({ status }) => status === 'fulfilled')).toEqual(
    [...'abcdefgh'].map((key) => key !== 'd'),
  );
  expect(kept.join('')).toBe('abcefgh');
  expect(f.lines.join('')).toContain('d cannot be bound');
});

it('a bot that is stopping gives up after a few last attempts to store a settlement', async () => {
  const f = fixture(() => {
    throw locked();
  });
  const one = f.commit(settlementOf('a')).catch((error: Error) => error.message);
  f.stopping.abort();
  await f.clock.advance(60 * second);
  expect(await one).toBe('database is locked');
});

it('a platform’s response that cannot be stored fails only its own message, which is not sent again', async () => {
  const { sent, connection } = recorder();
  const nameless: typeof connection = {
    ...connection,
    async send(notification, { address, signal }) {
      const reference = await connection.send(notification, { address, signal });
      return address.room === 'a' ? (undefined as unknown as string) : reference;
    },
  };
  const f = await pipelineFixture({ connection: nameless });
  for (const name of 'abc') await f.subscribe({ receiver: receiver(name) });
  await f.report([change()]);
  await f.clock.advance(600 * second);
  expect(sent.map(({ room }) => room).sort()).toEqual(['a', 'b', 'c']);
  const outcomes = await Promise.all(
    [...'abc'].map(async (name) => (await f.store.deliveries.recent(receiver(name), 5)).map(outcomeOf)),
  );
  expect(outcomes).toEqual([[expect.stringMatching(/^failed: a bug in Tocsin/)], ['sent'], ['sent']]);
  await f.close();
});
