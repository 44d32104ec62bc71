import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Alert } from '#src/alert/alert.ts';
import type { Detector } from '#src/detectors/detector.ts';
import type { PastAlerts } from '#src/preview/past-alerts.ts';
import { replayRule } from '#src/preview/replay-rule.ts';
import { hour } from '#src/runtime/units.ts';
import { openArchivedPast } from '#src/service/past/archived-past.ts';
import { sharedFolder } from '#test/support/folder.ts';
import { rule, ruleDetector } from '#test/support/rules.ts';
import { comparable, liveAndPreviewed } from './compare.ts';
import { runLive } from './run-live.ts';

/** A day; `npm run bench -- preview` takes a week. */
const from = Date.parse('2025-11-13T00:00:00Z');
const to = from + 24 * hour;

const folder = await sharedFolder();
let live: readonly Alert[];
let previewed: PastAlerts;
let counts: { readonly messages: number; readonly posts: number };

beforeAll(async () => {
  // The usual schedule of every 30 seconds would take twice as long and test nothing more.
  ({ live, previewed, ...counts } = await liveAndPreviewed(
    folder,
    { from, to },
    { 'liquidation-burst': '5 */5 * * * *' },
  ));
});

test('the preview lists exactly the alerts that the simulated market caused live, to the second', () => {
  expect(comparable(previewed.alerts, from)).toEqual(comparable(live, from));
});

test('a rule over candles of minutes is counted as it would have fired live, to the second', async () => {
  const url = `file:${join(folder, 'archive.db')}`;
  const symbols = ['BTCUSDT', 'ETHUSDT'];
  const rules = [
    rule({ id: 'rsi', condition: 'rsi.5m < 40.0', symbols }),
    rule({ id: 'cross', condition: 'ema20.5m > ema50.5m && macd.15m > 0.0', symbols }),
    rule({ id: 'band', condition: 'close.5m > bollingerUpper.5m || close.15m < low20.15m', symbols }),
  ];
  const detector = ruleDetector(
    () => rules,
    () => symbols,
  ) as Detector;
  const { own } = await runLive(
    url,
    [{ detector, options: detector.options.parse({}), schedule: detector.schedule }],
    { from: from - 6 * hour, to },
  );
  for (const one of rules) {
    const past = await openArchivedPast({
      url,
      end: to,
      source: 'simulated',
      chooseSymbols: (tracked) => tracked.filter((symbol) => symbols.includes(symbol)),
    });
    const { signal } = new AbortController();
    const previewed = await replayRule(one, { ...past, symbols, inhibitRules: [], from, to, signal });
    await past.close();
    const fired = own.filter(({ labels }) => labels.rule === one.id);
    expect(fired.length).toBeGreaterThan(3);
    expect(comparable(previewed.alerts, from)).toEqual(comparable(fired, from));
  }
});

test('the market caused alerts of several kinds', () => {
  expect(new Set(comparable(live, from).map(({ labels }) => labels.kind)).size).toBeGreaterThan(1);
});

test('the preview counts exactly the messages that a subscriber was sent, each escalation included', () => {
  expect(counts.messages).toBeGreaterThan(3);
  expect(counts.posts).toBe(counts.messages);
});
