import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Alert, Annotations } from '../alert/alert.ts';
import type { InhibitRule } from '../alert/inhibit.ts';
import { parseJson } from '../runtime/parse-json.ts';
import { day } from '../runtime/units.ts';
import { followAlerts, type PastAlerts } from './past-alerts.ts';
import { previewPeriod } from './preview.ts';
import { type ReplayEnd, type Replayed, type ReplayResult, replayEnd, storedAlert } from './replay.ts';
import type { SlicePause } from './slices.ts';

const storedPast = z.object({
  /** A hash of the market, the version and the configuration. With another one the detector is replayed anew. */
  key: z.string(),
  /** The beginning of the first day that has not been replayed, market ms. */
  next: z.number(),
  standing: replayEnd,
  revisions: z.array(storedAlert),
});

/** Where pasts are kept over restarts. */
export interface PastSettings {
  get(name: string): Promise<string | undefined>;
  put(name: string, text: string): Promise<void>;
}

export interface DetectorPast {
  readonly replayed: Replayed;
  readonly key: string;
  next: number;
  standing: ReplayEnd | undefined;
  /** Every revision of its alerts, ascending. */
  revisions: readonly Alert[];
}

const settingOf = (name: string): string => `past of ${name}`;

/** Returns the revision without its charts and most of its texts, which take nearly all of its room. */
const slim = (alert: Alert): Alert => ({
  ...alert,
  annotations: slimAnnotations(alert.annotations),
  event: slimAnnotations(alert.event),
});
const slimAnnotations = ({ title, dataTime, prominence }: Annotations): Annotations => ({
  title,
  summary: '',
  facts: [],
  dataTime,
  prominence,
});

/** @param identity what else the past depends on: the market, and the version of the detectors */
export async function recallPast(
  settings: PastSettings,
  replayed: Replayed,
  identity: unknown,
): Promise<DetectorPast> {
  const { detector, options, schedule } = replayed;
  const key = createHash('sha256')
    .update(JSON.stringify([identity, detector.name, options, schedule]))
    .digest('hex');
  const text = await settings.get(settingOf(detector.name));
  const stored = storedPast.safeParse(text === undefined ? undefined : parseJson(text)).data;
  const isReadable = detector.state.optional().safeParse(stored?.standing.state).success;
  return stored?.key === key && isReadable
    ? { ...stored, replayed }
    : { replayed, key, next: 0, standing: undefined, revisions: [] };
}

/** Adds a replayed day to a past, once it is stored. @param from market ms; what was before is forgotten */
export async function storeDay(
  settings: PastSettings,
  past: DetectorPast,
  {
    revisions,
    standing,
    from,
  }: {
    readonly revisions: readonly Alert[];
    readonly standing: ReplayResult['standing'];
    readonly from: number;
  },
): Promise<void> {
  const { name } = past.replayed.detector;
  const stands = standing(name);
  const ofDetector = revisions.filter(({ labels }) => labels.kind === name).map(slim);
  const next = {
    standing: { ...stands, open: stands.open.map(slim) },
    next: past.next + day,
    revisions: [...past.revisions, ...ofDetector].filter(({ updatedAt }) => updatedAt >= from),
  };
  await settings.put(settingOf(name), JSON.stringify({ ...next, key: past.key }));
  Object.assign(past, next);
}

/** Returns the alerts up to `end`, market ms, as they were announced, which depends on those of all kinds. */
export async function assemble(
  pasts: readonly DetectorPast[],
  {
    end,
    inhibitRules,
    pause,
  }: { readonly end: number; readonly inhibitRules: readonly InhibitRule[]; readonly pause: SlicePause },
): Promise<PastAlerts> {
  const from = end - previewPeriod;
  const followed = followAlerts(inhibitRules);
  const revisions = pasts.flatMap(({ revisions }) => revisions).filter(({ updatedAt }) => updatedAt >= from);
  for (const revision of revisions.sort((a, b) => a.updatedAt - b.updatedAt)) {
    followed.add(revision);
    await pause();
  }
  const since = pasts.flatMap(({ replayed, standing }) =>
    standing?.seenSince === undefined ? [] : [[replayed.detector.name, standing.seenSince] as const],
  );
  return { from, to: end - 1, alerts: followed.alerts(), since: Object.fromEntries(since) };
}
