import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createProbe } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import type { Core } from '#src/app/core.ts';
import { createMonitoring } from '#src/app/monitoring.ts';
import { createReadiness } from '#src/app/readiness.ts';
import type { Detector } from '#src/detectors/detector.ts';
import { addressesOf } from '#src/platforms/platform.ts';
import { wallClock } from '#src/runtime/clock.ts';
import { createMetrics } from '#src/runtime/metrics.ts';
import { createSchedule } from '#src/runtime/schedule.ts';
import { day, minute, second } from '#src/runtime/units.ts';
import { openStore } from '#src/store/open.ts';
import { fakeClock } from '#test/support/clock.ts';
import { botStatus } from '#test/support/console.ts';
import { answers } from '#test/support/data.ts';
import { detectors } from '#test/support/detectors.ts';
import { ownFolder } from '#test/support/folder.ts';
import { describeWith, prometheus } from '#test/support/needs.ts';
import { patience } from '#test/support/patience.ts';

const deploy = (path: string) => join(import.meta.dirname, '../../deploy', path);
const read = (path: string) => readFileSync(deploy(path), 'utf8');

const now = Date.UTC(2026, 2, 14);
const { dataQuality } = answers;

/** Returns the bot's metrics after each of the measured events has happened once. */
async function metricsText(): Promise<string> {
  await using opened = new AsyncDisposableStack();
  const store = opened.adopt(await openStore('file::memory:'), (each) => each.close());
  for (const role of ['watch', 'deliver:discord'])
    await store.leases.take(role, { owner: 'me', ttl: minute });
  const monitoring = createMonitoring(wallClock);
  const looked = { lastRun: null, lastSuccess: null, problem: null };
  const watched = [
    { ...looked, name: 'funding-extreme', lastSuccess: 1_700_000_000_500, waitingSince: 1_700_000_000_500 },
    { ...looked, name: 'price-move', waitingSince: 1_700_000_000_000 },
    { ...looked, name: 'liquidation-burst', waitingSince: null },
  ];
  const core = {
    store,
    client: { budget: () => ({ used: 87, limit: 300, reserved: 60, window: 900_000 }) },
    meta: { market: () => ({ now: () => now, speed: 240, wallUntil: () => 0 }) },
    quality: {
      latest: () => ({ ...dataQuality, checks: { ...dataQuality.checks, oi_history: { fresh: false } } }),
    },
    addresses: addressesOf([]),
  } as unknown as Core;
  const senders = { outlets: [{ name: 'telegram' }], readiness: createReadiness(store.guard) };
  senders.readiness.tokens.refused('discord', 'its token was revoked');
  const watching = { watch: { status: () => watched }, rules: { roles: ['rules'] } };
  const parts = { senders, watching, status: async () => botStatus };
  const report = monitoring.report(core, parts as unknown as Parameters<typeof monitoring.report>[1]);
  monitoring.onAnswer('answered');
  monitoring.onFlaws(2);
  monitoring.onHookOutcome('busy');
  monitoring.pipelineCallbacks.count({ outcome: 'sent', reason: '', notifier: 'telegram' });
  monitoring.pipelineCallbacks.count({ outcome: 'suppressed', reason: 'silenced', notifier: 'telegram' });
  monitoring.pipelineCallbacks.delivered(0.4, { notifier: 'telegram', lane: 'urgent' });
  return await report.metrics();
}

const board = () =>
  z
    .object({ panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })) })) })
    .parse(JSON.parse(read('grafana/tocsin.json')))
    .panels.flatMap(({ targets }) => targets);

describe('the metrics', () => {
  let text: string;
  beforeAll(async () => {
    text = await metricsText();
  });

  it.each([
    ['what runs, always 1', /^tocsin_build_info\{version="[\d.]+",node="\d+\.\d+\.\d+"\} 1$/m],
    ['what became of notifications', /^tocsin_deliveries_total\{outcome="sent",notifier="telegram"\} 1$/m],
    ['what was held back, and why', /^tocsin_suppressed_total\{reason="silenced",notifier="telegram"\} 1$/m],
    ['what has not happened yet', /^tocsin_deliveries_total\{outcome="failed",notifier="telegram"\} 0$/m],
    ['reasons that nothing had yet', /^tocsin_suppressed_total\{reason="expired",notifier="telegram"\} 0$/m],
    ['answers that were not given yet', /^tocsin_api_requests_total\{outcome="rate_limited"\} 0$/m],
    ['how long a post took', /^tocsin_delivery_latency_seconds_bucket\{le="0.5",.*lane="urgent"\} 1$/m],
    [
      'the moment of a detector’s last look, in seconds',
      /^tocsin_detector_last_success_timestamp_seconds\{detector="funding-extreme"\} 1700000000.5$/m,
    ],
    [
      'the start of a detector that has not seen the market yet',
      /^tocsin_detector_last_success_timestamp_seconds\{detector="price-move"\} 1700000000$/m,
    ],
    ['the data that is current', /^tocsin_data_fresh\{check="candles"\} 1$/m],
    ['the data that is old', /^tocsin_data_fresh\{check="oi_history"\} 0$/m],
    ['who was asked how often', /^tocsin_api_requests_total\{outcome="answered"\} 1$/m],
    ['what is wrong with files of places', /^tocsin_place_file_problems 2$/m],
    ['what hooks refused', /^tocsin_hook_requests_total\{outcome="busy"\} 1$/m],
    ['what hooks never refused yet', /^tocsin_hook_requests_total\{outcome="unreadable"\} 0$/m],
    ['platforms that refuse their token', /^tocsin_platforms_refused 1$/m],
    ['roles', /^tocsin_lease_token\{role="watch"\} 1$/m],
    ['that somebody has them', /^tocsin_lease_held\{role="watch"\} 1$/m],
    ['those that nobody ever had', /^tocsin_lease_held\{role="rules"\} 0$/m],
    ['an empty outbox', /^tocsin_outbox_oldest_seconds 0$/m],
  ])('contain %s', (_, line) => {
    expect(text).toMatch(line);
  });

  it('contain nothing about roles that nobody needs any more', () => {
    expect(text).not.toMatch(/^tocsin_lease_held\{role="deliver:discord"\}/m);
  });

  it('contain nothing about a detector whose data was never offered', () => {
    expect(text).not.toContain('liquidation-burst');
  });

  it('omit a gauge whose source fails or does not respond, and contain the others', async () => {
    const clock = fakeClock();
    const metrics = createMetrics(clock);
    metrics.gauge('well', { help: 'Well', values: () => [{ value: 1 }] });
    metrics.gauge('failing', { help: 'Failing', values: () => Promise.reject(new Error('away')) });
    metrics.gauge('silent', { help: 'Silent', values: () => new Promise<never>(() => {}) });
    const asked = metrics.text();
    const time = setInterval(() => void clock.advance(second), 5);
    const lines = (await asked).split('\n').filter((line) => /^tocsin_(well|failing|silent)/.test(line));
    clearInterval(time);
    expect(lines).toEqual(['tocsin_well 1']);
  });

  it('include every metric that the dashboard and the alert rules in deploy/ use', () => {
    const rules = z
      .object({ groups: z.array(z.object({ rules: z.array(z.object({ expr: z.string() })) })) })
      .parse(parse(read('prometheus/alerts.yml')));
    const asked = [...board(), ...rules.groups.flatMap((group) => group.rules)].flatMap(
      ({ expr }) => expr.match(/\b(?:tocsin|process|nodejs)_\w+/g) ?? [],
    );
    expect(asked.length).toBeGreaterThan(20);
    const known = new Set(text.match(/^\w+(?=[ {])/gm));
    expect([...new Set(asked)].filter((name) => !known.has(name))).toEqual([]);
  });
});

it('the dashboard asks whichever Prometheus its Grafana has, by its variable', () => {
  const { templating } = JSON.parse(read('grafana/tocsin.json'));
  expect(templating?.list).toEqual([
    expect.objectContaining({ name: 'datasource', type: 'datasource', query: 'prometheus' }),
  ]);
  const variables = read('grafana/tocsin.json').matchAll(/"type": "prometheus",\s+"uid": "(?:\$\{(\w+)\})?/g);
  expect(new Set([...variables].map(([, name]) => name))).toEqual(new Set(['datasource']));
});

/** Returns the longest time, s, between two ticks of a detector's own schedule. */
function longestPause({ schedule }: Detector): number {
  const times = [...createSchedule(schedule).within(now, now + 2 * day)];
  return Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? 0))) / second;
}

it('a detector that keeps to its schedule is not called blind, by the rules or on the dashboard', async () => {
  for (const path of ['prometheus/alerts.yml', 'grafana/tocsin.json']) {
    const text = read(path).replaceAll('\\"', '"');
    const bounds = [...text.matchAll(/\{detector(!?=)"([\w-]+)"\}\)+ > (\d+)/g)];
    expect(bounds).toHaveLength(2);
    for (const detector of detectors) {
      const bound = bounds.find(([, is, name]) => (name === detector.name) === (is === '='));
      expect([path, detector.name, longestPause(detector) < Number(bound?.[3])]).toEqual([
        ...[path, detector.name, true],
      ]);
    }
  }
});

/** Series for promtool of a bot that works, with a value a minute. */
const working = { 'up{job="tocsin"}': '1+0x60', tocsin_outbox_oldest_seconds: '0+0x60' };

const answered = { 'tocsin_api_requests_total{outcome="answered"}': '0+60x60' };

describeWith('Prometheus', 'Debian’s Prometheus', () => {
  it('are used by rules that promtool finds well formed', async () => {
    const { stdout } = await promisify(execFile)('promtool', [
      'check',
      'config',
      deploy('prometheus/prometheus.yml'),
    ]);
    expect(stdout).toMatch(/SUCCESS: \d+ rules found/);
  });

  it.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    ['all is well', working, []],
    ['the process is gone', { 'up{job="tocsin"}': '0+0x60' }, ['TocsinDown']],
    ['its container is gone, and with it its name', { 'up{job="other"}': '1+0x60' }, ['TocsinDown']],
    ['the database is away', { 'up{job="tocsin"}': '1+0x60' }, ['TocsinDatabaseAway']],
    [
      'the data is old',
      {
        ...working,
        'tocsin_data_fresh{check="oi_history"}': '0+0x60',
        'tocsin_data_fresh{check="candles"}': '1+0x60',
      },
      ['TocsinDataOld'],
    ],
    [
      'nobody judges a part of people’s own rules',
      {
        ...working,
        'tocsin_lease_held{role="watch",instance="one"}': '1+0x60',
        'tocsin_lease_held{role="rules",instance="one"}': '0+0x60',
        'tocsin_lease_held{role="rules",instance="other"}': '0+0x60',
      },
      ['TocsinRoleVacant'],
    ],
    [
      'nothing, while nobody is liquidated',
      { ...working, 'tocsin_data_fresh{check="liquidation_events"}': '0+0x60' },
      [],
    ],
    [
      'the data service fails',
      { ...working, ...answered, 'tocsin_api_requests_total{outcome="server_error"}': '0+40x60' },
      ['TocsinDataErrors'],
    ],
    [
      'nothing, where the venue does not offer some data',
      { ...working, ...answered, 'tocsin_api_requests_total{outcome="not_offered"}': '0+40x60' },
      [],
    ],
  ])('say what is wrong: %s', async (_, series, alerts) => {
    const known = [
      'TocsinDown',
      'TocsinDatabaseAway',
      'TocsinNotSending',
      'TocsinRoleVacant',
      'TocsinDataOld',
      'TocsinDataErrors',
    ];
    await testRules({
      input_series: Object.entries(series).map(([of, values]) => ({ series: of, values })),
      // The labels and texts of an alert are not compared: `ALERTS` has the names.
      promql_expr_test: known.map((alertname) => ({
        expr: `count(ALERTS{alertname="${alertname}",alertstate="firing"})`,
        eval_time: '30m',
        exp_samples: alerts.includes(alertname) ? [{ labels: '{}', value: 1 }] : [],
      })),
    });
  });

  it.each<[string, string, Readonly<Record<string, string>>, string]>([
    [
      'counts no check of liquidations as old data',
      'tocsin_data_fresh',
      {
        'tocsin_data_fresh{check="liquidation_events"}': '0+0x30',
        'tocsin_data_fresh{check="candles"}': '0+0x30',
      },
      '{}',
    ],
    [
      'counts a fail-over once, whichever processes saw it',
      'tocsin_lease_token',
      {
        'tocsin_lease_token{role="watch",instance="one"}': '1+0x10 2+0x20',
        'tocsin_lease_token{role="watch",instance="other"}': '1+0x10 2+0x20',
      },
      '{role="watch"}',
    ],
  ])('are questions of the dashboard, which %s', async (_, metric, series, labels) => {
    const asked = board().filter(({ expr }) => expr.includes(metric));
    expect(asked).toHaveLength(1);
    await testRules({
      input_series: Object.entries(series).map(([of, values]) => ({ series: of, values })),
      promql_expr_test: asked.map(({ expr }) => ({
        expr,
        eval_time: '20m',
        exp_samples: [{ labels, value: 1 }],
      })),
    });
  });

  it('are read by Prometheus, with these rules and the dashboard’s questions, without an error', async () => {
    const text = await metricsText();
    const bot = createServer((_, response) =>
      response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(text),
    ).listen(0, '127.0.0.1');
    onTestFinished(() => void bot.close());
    await once(bot, 'listening');
    const folder = await ownFolder();
    const given = parse(read('prometheus/prometheus.yml'));
    given.global = { scrape_interval: '1s', evaluation_interval: '1s' };
    given.rule_files = [deploy('prometheus/alerts.yml')];
    given.scrape_configs[0].static_configs[0].targets = [`127.0.0.1:${(bot.address() as AddressInfo).port}`];
    await writeFile(join(folder, 'prometheus.yml'), stringify(given));
    const url = await startPrometheus(folder);
    const target = await eventually(async () => {
      const { data } = targets.parse(await (await fetch(`${url}/api/v1/targets`)).json());
      return data.activeTargets.find(({ health }) => health !== 'unknown');
    });
    expect(target).toMatchObject({ health: 'up', lastError: '' });
    const { data } = groups.parse(await (await fetch(`${url}/api/v1/rules`)).json());
    const known = z.object({ groups: z.array(z.object({ rules: z.array(z.unknown()) })) });
    const written = known.parse(parse(read('prometheus/alerts.yml'))).groups[0]?.rules.length;
    expect(data.groups[0]?.rules).toHaveLength(written ?? 0);
    expect(data.groups[0]?.rules.filter(({ health }) => health === 'err')).toEqual([]);
    for (const { expr } of board()) {
      const answer = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query: expr })}`);
      expect([expr, await answer.json()]).toEqual([expr, expect.objectContaining({ status: 'success' })]);
    }
  });
});

/** Expects promtool to find what a test of the alert rules states. */
async function testRules(test: object): Promise<void> {
  const folder = await ownFolder();
  await writeFile(
    join(folder, 'test.yml'),
    stringify({ rule_files: [deploy('prometheus/alerts.yml')], tests: [{ interval: '1m', ...test }] }),
  );
  const run = promisify(execFile)('promtool', ['test', 'rules', join(folder, 'test.yml')]);
  await expect(run).resolves.toMatchObject({ stdout: expect.stringContaining('SUCCESS') });
}

const targets = z.object({
  data: z.object({ activeTargets: z.array(z.object({ health: z.string(), lastError: z.string() })) }),
});
const groups = z.object({
  data: z.object({ groups: z.array(z.object({ rules: z.array(z.object({ health: z.string() })) })) }),
});

/** Starts Prometheus. Returns the address of its page once it is ready. */
async function startPrometheus(folder: string): Promise<string> {
  const probe = createProbe().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await probe[Symbol.asyncDispose]();
  const child = spawn(
    prometheus,
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  );
  const ended = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => (await fetch(`${url}/-/ready`).catch(() => undefined))?.ok || undefined);
  return url;
}

async function eventually<Found>(look: () => Promise<Found | undefined>): Promise<Found> {
  for (let waited = 0; waited < patience; waited += 100) {
    const found = await look();
    if (found !== undefined) return found;
    await wallClock.sleep(100);
  }
  throw new Error('it never came');
}
