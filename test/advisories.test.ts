import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { z } from 'zod';
import { judged, lockSchema, renewed, snapshotSchema } from '../.ci/advisories.ts';
import { ownFolder } from './support/folder.ts';

const root = resolve(import.meta.dirname, '..');
const now = new Date('2026-11-23T12:00:00Z');

type Given = z.input<typeof snapshotSchema>;
const advisory = (over: Partial<Given['packages'][string][number]> = {}) => ({
  id: 'GHSA-2222-3333-4444',
  severity: 'high' as const,
  summary: 'A header crashes it',
  affected: [
    { versions: '>= 6.0.0, < 6.2.3', fixed: '6.2.3' },
    { versions: '>= 7.0.0, < 7.5.10', fixed: '7.5.10' },
  ],
  ...over,
});
const snapshotOf = (packages: Given['packages'], asOf = '2026-11-20') =>
  snapshotSchema.parse({ asOf, source: 'a test', packages });
const lockOf = (packages: z.input<typeof lockSchema>['packages']) =>
  lockSchema.parse({ packages: { '': { version: '0.1.0' }, ...packages } });
const judge = (version: string, versions?: string) =>
  judged({
    lock: lockOf({ 'node_modules/sockets': { version } }),
    snapshot: snapshotOf({
      sockets: [advisory(versions === undefined ? {} : { affected: [{ versions, fixed: null }] })],
    }),
    now,
  });

describe('the range of an advisory', () => {
  it.each<[rule: string, version: string, versions: string | undefined, affected: boolean]>([
    ['inside the first range fails', '6.2.2', undefined, true],
    ['inside the second range fails', '7.5.9', undefined, true],
    ['between two ranges passes', '6.2.3', undefined, false],
    ['before all ranges passes', '5.9.9', undefined, false],
    ['above all ranges passes', '8.0.0', undefined, false],
    ['is compared by numbers, not by letters', '7.5.10', undefined, false],
    ['that begins a range is in it', '6.0.0', undefined, true],
    ['that is the last one affected is in it', '3.1.1', '<= 3.1.1', true],
    ['after the last one affected passes', '3.1.2', '<= 3.1.1', false],
    ['that is the only one affected fails', '4.4.2', '= 4.4.2', true],
    ['beside the only one affected passes', '4.4.3', '= 4.4.2', false],
    ['from which on all are affected is not, if the range excludes it', '1.0.0', '> 1.0.0', false],
    ['is affected where all are', '1.0.0', '>= 0', true],
    ['is held against bounds of fewer numbers', '2.0.0', '< 2', false],
    ['before its release is lower than it', '2.0.0-rc.1', '< 2.0.0', true],
    ['before its release is above the one before', '2.0.0-rc.1', '> 1.9.9', true],
    ['before its release is ordered by its numbers', '2.0.0-rc.10', '< 2.0.0-rc.9', false],
    ['before its release with a word comes after one with a number', '2.0.0-beta', '<= 2.0.0-9', false],
    ['before its release that goes on comes after what it begins with', '2.0.0-a.1', '<= 2.0.0-a', false],
    ['before its release is ordered by its words', '2.0.0-alpha', '< 2.0.0-beta', true],
    ['is the same with other build metadata', '2.0.0+debian', '<= 2.0.0+ours', true],
  ])('%s', (_, version, versions, affected) => {
    const { passes, lines } = judge(version, versions);
    expect([passes, lines.some((line) => line.includes('GHSA-2222-3333-4444'))]).toEqual([
      !affected,
      affected,
    ]);
  });
});

it('a failing package is named with its advisory, its place, the fixed version and what to do', () => {
  const lock = lockOf({ 'node_modules/chat/node_modules/sockets': { version: '6.1.0' } });
  const { passes, lines } = judged({ lock, snapshot: snapshotOf({ sockets: [advisory()] }), now });
  expect(passes).toBe(false);
  expect(lines.slice(1)).toEqual([
    'high: sockets 6.1.0 (node_modules/chat/node_modules/sockets): A header crashes it. Fixed in 6.2.3. https://github.com/advisories/GHSA-2222-3333-4444',
    expect.stringMatching(/package\.json.*overrides.*npm install/),
  ]);
});

it.each<[severity: 'low' | 'moderate' | 'high' | 'critical', passes: boolean]>([
  ['low', true],
  ['moderate', true],
  ['high', false],
  ['critical', false],
])('an advisory of %s severity is reported, and passes: %s', (severity, passes) => {
  const lock = lockOf({ 'node_modules/sockets': { version: '6.1.0' } });
  const told = judged({ lock, snapshot: snapshotOf({ sockets: [advisory({ severity })] }), now });
  expect(told.passes).toBe(passes);
  expect(told.lines[1]).toMatch(new RegExp(`^${severity}: sockets 6\\.1\\.0`));
});

describe('the audited packages', () => {
  const snapshot = snapshotOf({ sockets: [advisory()], plain: [] });

  it('are those that production installs, without development packages', () => {
    const lock = lockOf({ 'node_modules/sockets': { version: '6.1.0', dev: true } });
    expect(judged({ lock, snapshot, now }).passes).toBe(true);
  });

  it('are found by the name of the package, not of its folder', () => {
    const lock = lockOf({ 'node_modules/alias': { version: '6.1.0', name: 'sockets' } });
    expect(judged({ lock, snapshot, now }).passes).toBe(false);
  });

  it('are reported in one line if nothing is wrong', () => {
    const lock = lockOf({
      'node_modules/sockets': { version: '8.0.0' },
      'node_modules/plain': { version: '1.0.0' },
    });
    expect(judged({ lock, snapshot, now })).toEqual({
      passes: true,
      lines: [
        'No registry tells vulnerabilities: 2 packages are held against 1 advisories of 1 of them, as of 2026-11-20 (.ci/advisories.json). None of high severity applies.',
      ],
    });
  });

  it('include packages without stored advisories, each named once', () => {
    const lock = lockOf({
      'node_modules/@new/thing': { version: '1.0.0' },
      'node_modules/plain/node_modules/@new/thing': { version: '2.0.0' },
      'node_modules/plain': { version: '1.0.0' },
    });
    const { passes, lines } = judged({ lock, snapshot, now });
    expect(passes).toBe(true);
    expect(lines.slice(1)).toEqual([expect.stringMatching(/^Not looked for.*: @new\/thing\. .*renew/)]);
  });
});

it.each<[asOf: string, lines: number]>([
  ['2026-05-27', 1],
  ['2026-05-26', 2],
])('advisories as of %s are half a year old or older, which is reported: %s lines', (asOf, count) => {
  const { lines } = judged({ lock: lockOf({}), snapshot: snapshotOf({}, asOf), now });
  expect(lines).toHaveLength(count);
  expect(lines[1] ?? '181 days old').toMatch(/181 days old/);
});

describe('stored advisories', () => {
  it.each<[wrong: string, given: unknown]>([
    ['nothing', {}],
    ['no date', { asOf: 'today', source: 'a test', packages: {} }],
    ['no source', { asOf: '2026-11-20', source: '', packages: {} }],
    ['no packages', { asOf: '2026-11-20', source: 'a test' }],
    ...Object.entries({
      'an id of another kind': { id: 'CVE-2026-1' },
      'an unknown severity': { severity: 'bad' },
      'no summary': { summary: '' },
      'no ranges': { affected: [] },
      'an empty range': { affected: [{ versions: '', fixed: null }] },
      'a range that is none': { affected: [{ versions: '^6.0.0', fixed: null }] },
      'a range with half of a bound': { affected: [{ versions: '>= 6.0.0, <', fixed: null }] },
      'a bound that is no version': { affected: [{ versions: '< latest', fixed: null }] },
      'what nobody reads': { ranges: [] },
    }).map<[string, unknown]>(([wrong, over]) => [
      wrong,
      { asOf: '2026-11-20', source: 'a test', packages: { sockets: [{ ...advisory(), ...over }] } },
    ]),
  ])('with %s are refused', (_, given) => {
    expect(snapshotSchema.safeParse(given).success).toBe(false);
  });

  it('are well formed in the repository', () => {
    const kept = snapshotSchema.parse(JSON.parse(readFileSync(join(root, '.ci/advisories.json'), 'utf8')));
    const ids = Object.values(kept.packages).map((each) => each.map(({ id }) => id));
    expect(ids.flat().length).toBeGreaterThan(50);
    expect(ids.filter((each) => new Set(each).size < each.length)).toEqual([]);
  });
});

describe('renewed advisories', () => {
  const vulnerability = (name: string, over = {}) => ({
    package: { ecosystem: 'npm', name },
    vulnerable_version_range: '>= 6.0.0, < 6.2.3',
    first_patched_version: '6.2.3',
    ...over,
  });
  const answer = (id: string, over = {}) => ({
    ghsa_id: id,
    summary: 'A header crashes it',
    severity: 'medium',
    withdrawn_at: null,
    vulnerabilities: [vulnerability('sockets')],
    ...over,
  });

  /** A double of GitHub on loopback, with advisories in pages; records the requests. */
  async function gitHub(pages: Readonly<Record<string, readonly unknown[][]>>) {
    const asked: URL[] = [];
    const server = createServer((request, response) => {
      const url = new URL(request.url ?? '/', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
      asked.push(url);
      const all = pages[url.searchParams.get('type') ?? ''];
      const page = Number(url.searchParams.get('page') ?? 0);
      if (all === undefined) return response.writeHead(403).end('rate limit exceeded');
      const next = new URL(url);
      next.searchParams.set('page', String(page + 1));
      if (page + 1 < all.length) response.setHeader('link', `<${next}>; rel="next", <${next}>; rel="last"`);
      response.end(JSON.stringify(all[page] ?? []));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.close();
    });
    return { asked, api: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }

  const lock = lockOf({
    'node_modules/sockets': { version: '6.1.0' },
    'node_modules/plain': { version: '1.0.0' },
    'node_modules/built': { version: '1.0.0', dev: true },
  });

  it('cover all production packages, from every page, including malware', async () => {
    const { api, asked } = await gitHub({
      reviewed: [[answer('GHSA-2222-3333-4444')], [answer('GHSA-2222-3333-5555')]],
      malware: [[answer('GHSA-2222-3333-6666', { severity: 'critical' })]],
    });
    const snapshot = await renewed({ lock, now, api });
    expect(asked[0]?.searchParams.get('affects')).toBe('plain,sockets');
    expect(snapshot).toMatchObject({ asOf: '2026-11-23', packages: { plain: [] } });
    expect(snapshot.packages.sockets).toEqual([
      advisory({ severity: 'moderate', affected: [{ versions: '>= 6.0.0, < 6.2.3', fixed: '6.2.3' }] }),
      expect.objectContaining({ id: 'GHSA-2222-3333-5555' }),
      expect.objectContaining({ id: 'GHSA-2222-3333-6666', severity: 'critical' }),
    ]);
    expect(judged({ lock, snapshot: snapshotSchema.parse(snapshot), now }).passes).toBe(false);
  });

  it('omit withdrawn ones, and what they say about other packages and ecosystems', async () => {
    const { api } = await gitHub({
      reviewed: [
        [
          answer('GHSA-2222-3333-4444', { withdrawn_at: '2026-11-01T00:00:00Z' }),
          answer('GHSA-2222-3333-5555', {
            vulnerabilities: [
              vulnerability('other'),
              vulnerability('sockets', { package: { ecosystem: 'pip', name: 'sockets' } }),
            ],
          }),
        ],
      ],
      malware: [],
    });
    expect((await renewed({ lock, now, api })).packages).toEqual({ plain: [], sockets: [] });
  });

  it('are not stored if GitHub refuses or responds unexpectedly', async () => {
    await expect(renewed({ lock, now, ...(await gitHub({})) })).rejects.toThrow(/403: rate limit exceeded/);
    await expect(
      renewed({ lock, now, ...(await gitHub({ reviewed: [[{ id: 1 }]], malware: [] })) }),
    ).rejects.toThrow(/ghsa_id/);
  });
});

describe('.ci/audit', () => {
  /** Runs .ci/audit with an npm that prints this text and then fails. */
  async function audit(printed: string) {
    const folder = await ownFolder();
    writeFileSync(join(folder, 'npm'), `#!/bin/sh\necho '${printed}'\nexit 9\n`, { mode: 0o755 });
    const PATH = [folder, process.env.PATH].join(delimiter);
    return spawnSync(join(root, '.ci/audit'), { encoding: 'utf8', env: { ...process.env, PATH } });
  }

  it('uses the registry’s response, and fails as npm does', async () => {
    const { status, stdout } = await audit('{ "auditReportVersion": 2 }');
    expect([status, stdout]).toEqual([9, '{ "auditReportVersion": 2 }\n']);
  });

  it.each(['', '{ "message": "405 Method Not Allowed" }'])(
    'checks the lock file against the stored advisories if npm has no data: %s',
    async (printed) => {
      expect((await audit(printed)).stdout).toMatch(
        /^No registry tells vulnerabilities: \d{3} packages are held/,
      );
    },
  );
});
