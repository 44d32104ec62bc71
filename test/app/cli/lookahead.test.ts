import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { checkLookahead } from '#src/app/cli/lookahead.ts';
import type { DetectorConfig } from '#src/app/config/config.ts';
import { type Detector, defineDetector } from '#src/detectors/detector.ts';
import priceMove from '#src/detectors/price-move.ts';
import regimeTransition from '#src/detectors/regime-transition.ts';
import { InputError } from '#src/runtime/errors.ts';
import { iso } from '#src/runtime/units.ts';
import { sharedFolder } from '#test/support/folder.ts';
import { seeded } from '#test/support/random.ts';
import { recordedBars, recordedFunding } from '#test/support/recorded-market.ts';

const dir = await sharedFolder();
beforeAll(async () => {
  const bars = recordedBars().slice(0, 24 * 45);
  const last = bars.at(-1)?.time ?? 0;
  const candles = bars.map(({ time, close }) => [iso(time), close, close, close, close, 1].join());
  await writeFile(
    join(dir, 'btcusdt_1h_closes.csv'),
    ['open_time,open,high,low,close,volume', ...candles].join('\n'),
  );
  const funding = recordedFunding('BTCUSDT').filter(
    ({ time }) => time >= (bars[0]?.time ?? 0) && time <= last,
  );
  await writeFile(
    join(dir, 'btcusdt_funding_8h_settled.csv'),
    ['timestamp,rate', ...funding.map(({ time, rate }) => `${iso(time)},${rate}`)].join('\n'),
  );
});

const configured = (detector: Detector): DetectorConfig => ({
  detector,
  enabled: true,
  schedule: detector.schedule,
  options: detector.options.parse({}),
});
async function check(detectors: readonly Detector[], market = `recorded:${dir}`) {
  let said = '';
  const same = await checkLookahead({
    market,
    cuts: 2,
    detectors: detectors.map(configured),
    random: seeded(3),
    print: async (text) => {
      said += text;
    },
  });
  return { same, said };
}

it('nothing concluded about an hour changes with later data', async () => {
  // The bars are hourly, so that a look every two minutes would see the same bars and cost most of the time.
  const seldom = { ...priceMove, schedule: '15 */10 * * * *' };
  const { same, said } = await check([regimeTransition as Detector, seldom as Detector]);
  expect(said).toContain('No answer, label or alert used later data, at 2 cuts.');
  expect(same).toBe(true);
});

it('a change by later data is reported', async () => {
  let calls = 0;
  const cheat = defineDetector({
    name: 'cheat',
    description: 'It knows more each time',
    preset: 'everything',
    schedule: '0 0 * * * *',
    options: z.object({}),
    state: z.object({}),
    async observe() {
      calls += 1;
      return calls;
    },
    step: (_, seen, { now }) => ({
      state: {},
      changes: [
        {
          status: 'firing',
          labels: { kind: 'cheat', of: String(seen) },
          severity: 'info',
          annotations: { title: '', summary: '', facts: [], dataTime: now },
        },
      ],
    }),
  });
  const { same, said } = await check([cheat as Detector]);
  expect(said).toContain('DIFFERS');
  expect(same).toBe(false);
});

it('a check that is impossible says why', async () => {
  await expect(check([], 'live')).rejects.toThrow(InputError);
});
