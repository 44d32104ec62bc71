import { expect, test } from 'vitest';
import type { DataClient } from '#src/contract/data-client.ts';
import { pastOf } from '#src/rules/past.ts';
import { hour, iso } from '#src/runtime/units.ts';
import { dataClient, now } from '#test/support/data.ts';

const signal = new AbortController().signal;
const symbol = 'BTCUSDT';
const fullHour = Math.floor(now / hour) * hour;

test('the past of a volume delta over 24 h has whole sums alone', async () => {
  const asked: number[] = [];
  const volumeCvd = async ({ hours = 24 }: { hours?: number | undefined } = {}) => {
    asked.push(hours);
    const rows = Array.from({ length: hours }, (_, index) => ({
      timestamp: iso(fullHour - (hours - index) * hour),
      cvd: index + 1,
      buyRatio: 50,
    }));
    return { data: rows };
  };
  const data = { ...dataClient(), volumeCvd } as unknown as DataClient;
  const values = async (hours: number) =>
    (await pastOf('cvd.total24h', { data, symbol, hours, now: fullHour + 1, signal })).map(
      ([, value]) => value,
    );
  expect(await values(24)).toEqual(Array(23).fill(24));
  expect(await values(100)).toEqual(Array(99).fill(24));
  // A week is the most that the service has, so that its first day lacks the day before.
  expect(await values(168)).toEqual(Array(145).fill(24));
  expect(asked).toEqual([48, 124, 168]);
});
