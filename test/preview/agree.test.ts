import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Alert } from '#src/alert/alert.ts';
import type { PastAlerts } from '#src/preview/past-alerts.ts';
import { hour } from '#src/runtime/units.ts';
import { comparable, liveAndPreviewed } from './compare.ts';

/** A day; `npm run bench -- preview` takes a week. */
const from = Date.parse('2025-11-13T00:00:00Z');
const to = from + 24 * hour;

let folder: string;
let live: readonly Alert[];
let previewed: PastAlerts;
let counts: { readonly messages: number; readonly posts: number };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tocsin-agree-'));
  // The usual schedule of every 30 seconds would take twice as long and test nothing more.
  ({ live, previewed, ...counts } = await liveAndPreviewed(
    folder,
    { from, to },
    { 'liquidation-burst': '5 */5 * * * *' },
  ));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the preview lists exactly the alerts that the simulated market caused live, to the second', () => {
  expect(comparable(previewed.alerts, from)).toEqual(comparable(live, from));
});

test('the market caused alerts of several kinds', () => {
  expect(new Set(comparable(live, from).map(({ labels }) => labels.kind)).size).toBeGreaterThan(1);
});

test('the preview counts exactly the messages that a subscriber was sent, each escalation included', () => {
  expect(counts.messages).toBeGreaterThan(3);
  expect(counts.posts).toBe(counts.messages);
});
