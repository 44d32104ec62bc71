import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { eventOf, eventScope, type InhibitRule } from '#src/alert/inhibit.ts';
import { presetKinds, presets } from '#src/alert/presets.ts';
import type { Config } from '#src/app/config/config.ts';
import { followAlerts, type PastAlerts } from '#src/preview/past-alerts.ts';
import { type PreviewedKind, type PreviewWish, previewOf } from '#src/preview/preview.ts';
import { replay } from '#src/preview/replay.ts';
import { wallClock } from '#src/runtime/clock.ts';
import { day, second } from '#src/runtime/units.ts';
import { openArchivedPast } from '#src/service/past/archived-past.ts';
import { startEmbedded } from '#src/service/run/embedded.ts';
import { configured } from '#test/support/settings.ts';
import { type Figure, percentile, report } from './measuring/figures.ts';
import { inFolder } from './measuring/program.ts';

/** Each week takes one to three minutes. */
export const slow = true;

/** The end of the last week, chosen before anything was measured. */
const last = Date.UTC(2025, 10, 13);
/** Market days that are counted: the archive holds every feed for one day more, for the warm-up. */
const days = 6;

/**
 * `npm run bench -- rates -- [--weeks 6 --symbols 100]`: how many posts the detectors, as configured by default, would
 * have made by kind and by preset, in weeks spread evenly over a simulated year.
 */
export default async function rates(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      weeks: { type: 'string', default: '6' },
      symbols: { type: 'string', default: '100' },
      seed: { type: 'string', default: '7' },
    },
  });
  const config = configured();
  const enabled = config.detectors.filter((each) => each.enabled);
  const kinds = enabled.map(
    ({ detector: { name, preset, groupWait = 0 } }): PreviewedKind => ({ name, preset, groupWait }),
  );

  const count = (week: number) =>
    inFolder(async (folder) => {
      const to = last - Math.floor((week * 365) / Number(values.weeks)) * day;
      const archiveUrl = `file:${join(folder, 'archive.db')}`;
      const symbols = await fill({
        archiveUrl,
        from: to,
        symbols: Number(values.symbols),
        seed: Number(values.seed),
      });
      const past = await lived({ archiveUrl, from: to - days * day, to, config });
      const perDay = (wanted: readonly string[], minSeverity: 'info' | 'warning' | 'critical') =>
        previewOf(past, {
          wish: { kinds: wanted, symbols: ['*'], minSeverity },
          kinds,
          universe: symbols,
          source: 'replayed',
        }).posts / days;
      return {
        cascades: presets.slice(1).map(({ name, minSeverity }) => {
          const wish = { kinds: presetKinds(name, kinds), symbols: ['*'], minSeverity };
          return postsOfEvents(past, wish, { kinds, universe: symbols, rules: config.inhibit });
        }),
        presets: presets.map(({ name, minSeverity }) => {
          const wanted = presetKinds(name, kinds);
          return {
            posts: perDay(wanted, minSeverity),
            ofKinds: wanted.map((kind) => perDay([kind], minSeverity)),
          };
        }),
        kinds: kinds.map(({ name }) => [perDay([name], 'info'), perDay([name], 'warning')] as const),
      };
    });

  const weeks: Awaited<ReturnType<typeof count>>[] = [];
  for (let week = 0; week < Number(values.weeks); week += 1) {
    weeks.push(await count(week));
    process.stderr.write(
      `week ${week + 1}: ${presets.map(({ name }, i) => `${name} ${weeks.at(-1)?.presets[i]?.posts.toFixed(1)}`).join(', ')} posts a day\n`,
    );
  }
  const mean = (of: readonly number[]) => of.reduce((sum, value) => sum + value, 0) / of.length;
  const figures = presets.flatMap(({ name }, index): Figure[] => {
    const rate = weeks.map((week) => week.presets[index]?.posts ?? Number.NaN);
    const wanted = presetKinds(name, kinds);
    const ofKinds = wanted.map((kind, at) => ({
      kind,
      posts: mean(weeks.map((week) => week.presets[index]?.ofKinds[at] ?? Number.NaN)),
    }));
    const loudest = ofKinds.reduce((most, each) => (each.posts > most.posts ? each : most));
    return [
      {
        name: `preset ${name}`,
        value: mean(rate),
        unit: 'posts a day',
        ...(name === 'standard' && { bound: { most: 3 } }),
      },
      { name: `  in the busiest week`, value: percentile(rate, 1), unit: 'posts a day' },
      {
        name: `  share of its loudest kind, ${loudest.kind}`,
        value: Math.round((100 * loudest.posts) / (mean(rate) || 1)),
        unit: '%',
        ...(name !== 'quiet' && { bound: { most: 34 } }),
      },
    ];
  });
  const ofCascades = presets.slice(1).flatMap(({ name }, index): Figure[] => {
    const posts = weeks.flatMap((week) => week.cascades[index] ?? []);
    return [
      { name: `${name}: cascades`, value: posts.length, unit: '' },
      { name: '  posts for any one, most', value: Math.max(0, ...posts), unit: '', bound: { most: 3 } },
    ];
  });
  const byKind = kinds.flatMap(({ name, preset }, index): Figure[] => [
    {
      name: `${name} (${preset})`,
      value: mean(weeks.map((week) => week.kinds[index]?.[0] ?? Number.NaN)),
      unit: 'a day',
    },
    {
      name: '  warning and worse',
      value: mean(weeks.map((week) => week.kinds[index]?.[1] ?? Number.NaN)),
      unit: 'a day',
    },
  ]);
  report(
    `rates: ${values.weeks} weeks of ${days} days over a simulated year, ${values.symbols} symbols, seed ${values.seed}`,
    [...figures, ...ofCascades, ...byKind],
  );
}

/**
 * Returns the number of posts for each event: its own posts, and those of the alerts that its inhibit rule counts as parts
 * of it, within the rule's time before and after the event.
 */
function postsOfEvents(
  past: PastAlerts,
  wish: PreviewWish,
  given: {
    readonly kinds: readonly PreviewedKind[];
    readonly universe: readonly string[];
    readonly rules: readonly InhibitRule[];
  },
): number[] {
  const { kinds: names, after } = eventScope(given.rules);
  return past.alerts
    .filter(({ labels, announcements }) => names.includes(labels.kind) && announcements.length > 0)
    .map((event) => {
      const severity = event.announcements.at(-1)?.severity ?? 'info';
      const until = (event.endsAt ?? past.to) + after;
      const alerts = past.alerts
        .filter(
          (alert) =>
            alert === event ||
            eventOf(given.rules, { events: [{ ...event, severity }], alert, at: alert.startsAt }),
        )
        .map((alert) => ({ ...alert, announcements: alert.announcements.filter(({ at }) => at <= until) }));
      return previewOf({ ...past, alerts }, { wish, ...given, source: 'replayed' }).posts;
    });
}

/** Returns the alerts of the detectors, each within its own request limits, without any subscriptions. */
async function lived({
  archiveUrl,
  from,
  to,
  config,
}: {
  archiveUrl: string;
  from: number;
  to: number;
  config: Config;
}): Promise<PastAlerts> {
  const past = await openArchivedPast({ url: archiveUrl, end: to, source: 'simulated' });
  try {
    const followed = followAlerts(config.inhibit);
    const { seenSince } = await replay({
      detectors: config.detectors.filter(({ enabled }) => enabled),
      at: past.at,
      from,
      to,
      onAlert: followed.add,
    });
    return { from, to, alerts: followed.alerts(), since: seenSince };
  } finally {
    await past.close();
  }
}

/** Fills an archive with the whole past of a market that begins at `from`. Returns its symbols, largest volume first. */
async function fill({
  archiveUrl,
  from,
  symbols,
  seed,
}: {
  archiveUrl: string;
  from: number;
  symbols: number;
  seed: number;
}): Promise<readonly string[]> {
  const service = await startEmbedded({
    market: { kind: 'simulated', seed, symbols: Math.max(30, symbols), from },
    speed: 1,
    host: '127.0.0.1',
    port: 0,
    archiveUrl,
    symbols,
    log: pino({ level: 'error' }),
  });
  try {
    await service.ready;
    for (;;) {
      // On a busy machine the service may close the kept connection just as it is used again.
      const answer = await fetch(`${service.url}/meta`, {
        headers: { 'x-api-key': service.apiKey.reveal() },
      }).then(
        (response) => response.json() as Promise<{ backfill: number; symbols: string[] }>,
        () => undefined,
      );
      if (answer?.backfill === 1) return answer.symbols;
      await wallClock.sleep(second / 2);
    }
  } finally {
    await service.close();
  }
}
