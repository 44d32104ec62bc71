/**
 * `npx node .ci/advisories.ts` holds what package-lock.json installs for production against the advisories that stand in
 * advisories.json, for where no registry tells any (audit), and fails from high severity on.
 * `npx node .ci/advisories.ts renew` writes that file anew, from GitHub's Advisory Database.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';

const semantic = /^(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([\dA-Za-z.-]+))?(?:\+[\dA-Za-z.-]+)?$/;

/** A version as what it is ordered by: its numbers, and the identifiers of a prerelease. */
const version = z.string().transform((text, { addIssue }) => {
  const [all, major, minor = '0', patch = '0', prerelease] = semantic.exec(text) ?? [];
  if (all === undefined) addIssue(`"${text}" is no version`);
  return { numbers: [major, minor, patch].map(Number), prerelease: prerelease?.split('.') ?? [] };
});
type Version = z.output<typeof version>;

/** Numbers come before words, and what ends before what goes on. */
function orderIdentifiers(left: string | undefined, right: string | undefined): number {
  if (left === undefined || right === undefined) return left === undefined ? -1 : 1;
  const [isNumber, isOtherNumber] = [/^\d+$/.test(left), /^\d+$/.test(right)];
  if (isNumber && isOtherNumber) return Number(left) - Number(right);
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return left < right ? -1 : 1;
}

/** Below, at or above zero where `left` comes before, with or after `right`: semver.org, clause 11. */
function order(left: Version, right: Version): number {
  for (const [index, number] of left.numbers.entries()) {
    const difference = number - (right.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  // A release comes after all its prereleases.
  if (left.prerelease.length === 0 || right.prerelease.length === 0)
    return right.prerelease.length - left.prerelease.length;
  const length = Math.max(left.prerelease.length, right.prerelease.length);
  for (let index = 0; index < length; index++) {
    const [own, other] = [left.prerelease[index], right.prerelease[index]];
    if (own !== other) return orderIdentifiers(own, other);
  }
  return 0;
}

const operator = z.enum(['<', '<=', '=', '>=', '>']);
const holds: Readonly<Record<z.output<typeof operator>, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '=': (order) => order === 0,
  '>=': (order) => order >= 0,
  '>': (order) => order > 0,
};

/** As the Advisory Database writes it: ">= 6.0.0, < 6.27.0". All of it must hold. */
const range = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim().split(' ')))
  .pipe(z.array(z.tuple([operator, version])));

const advisory = z.strictObject({
  id: z.string().regex(/^GHSA(-[2-9cfghjmpqrvwx]{4}){3}$/),
  severity: z.enum(['low', 'moderate', 'high', 'critical']),
  summary: z.string().min(1),
  affected: z.array(z.strictObject({ versions: range, fixed: z.string().nullable() })).min(1),
});

/** Packages are those that were looked for: one without advisories has none, one that is missing was not looked for. */
export const snapshotSchema = z.strictObject({
  asOf: z.iso.date(),
  source: z.string().min(1),
  packages: z.record(z.string(), z.array(advisory)),
});
type Snapshot = z.output<typeof snapshotSchema>;

export const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({ version: z.string().optional(), dev: z.boolean().optional(), name: z.string().optional() }),
  ),
});
type Lock = z.output<typeof lockSchema>;

/** What production installs, and where. */
const installed = ({ packages }: Lock) =>
  Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && dev !== true)
    .map(([path, { name, version: text = '' }]) => ({
      name: name ?? path.split('node_modules/').at(-1) ?? path,
      path,
      text,
      version: version.parse(text),
    }));

const failing: readonly string[] = ['high', 'critical'];
const renewal = '`npx node .ci/advisories.ts renew`';
const staleDays = 180;
const day = 86_400_000;

/** What is to be said of the lock file, and whether it passes. */
export function judged({ lock, snapshot, now }: { lock: Lock; snapshot: Snapshot; now: Date }) {
  const all = installed(lock);
  const affecting = all.flatMap((each) =>
    (snapshot.packages[each.name] ?? []).flatMap(({ affected, ...rest }) => {
      const found = affected.find(({ versions }) =>
        versions.every(([comparison, bound]) => holds[comparison](order(each.version, bound))),
      );
      return found === undefined ? [] : [{ ...rest, ...each, fixed: found.fixed }];
    }),
  );
  const passes = !affecting.some(({ severity }) => failing.includes(severity));
  const unknown = [...new Set(all.map(({ name }) => name))].filter((name) => !(name in snapshot.packages));
  const told = Object.values(snapshot.packages).filter((advisories) => advisories.length > 0);
  const age = Math.floor((now.getTime() - Date.parse(snapshot.asOf)) / day);

  const lines = [
    `No registry tells vulnerabilities: ${all.length} packages are held against ${told.flat().length} advisories of ${told.length} of them, as of ${snapshot.asOf} (.ci/advisories.json). ${passes ? 'None of high severity applies.' : 'It fails:'}`,
    ...affecting.map(
      ({ id, severity, name, text, path, summary, fixed }) =>
        `${severity}: ${name} ${text} (${path}): ${summary}. ${fixed === null ? 'No version fixes it: do without it.' : `Fixed in ${fixed}.`} https://github.com/advisories/${id}`,
    ),
  ];
  if (!passes)
    lines.push(
      'Upgrade it in package.json; where another package brings it, upgrade that one or pin it under "overrides". Then `npm install`.',
    );
  if (unknown.length > 0)
    lines.push(`Not looked for, as it was installed later: ${unknown.join(', ')}. Renew by ${renewal}.`);
  if (age > staleDays) lines.push(`The advisories are ${age} days old: renew them by ${renewal}.`);
  return { passes, lines };
}

/** What GitHub answers, as far as it is used: https://docs.github.com/rest/security-advisories/global-advisories */
const answered = z.array(
  z.object({
    ghsa_id: z.string(),
    summary: z.string(),
    severity: z.enum(['low', 'medium', 'high', 'critical']),
    withdrawn_at: z.string().nullable(),
    vulnerabilities: z.array(
      z.object({
        package: z.object({ ecosystem: z.string(), name: z.string() }),
        vulnerable_version_range: z.string(),
        first_patched_version: z.string().nullable(),
      }),
    ),
  }),
);

async function* advisoriesOf(names: readonly string[], api: string) {
  for (const type of ['reviewed', 'malware']) {
    const query = new URLSearchParams({ ecosystem: 'npm', type, affects: names.join(','), per_page: '100' });
    let page: string | undefined = `${api}/advisories?${query}`;
    while (page !== undefined) {
      const answer: Response = await fetch(page, { headers: { accept: 'application/vnd.github+json' } });
      if (!answer.ok) throw new Error(`GitHub answers ${answer.status}: ${await answer.text()}`);
      yield* answered.parse(await answer.json());
      page = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
    }
  }
}

/** The advisories of all that production installs, as they stand in advisories.json. */
export async function renewed({ lock, now, api }: { lock: Lock; now: Date; api: string }) {
  const names = [...new Set(installed(lock).map(({ name }) => name))].sort();
  const packages: Record<string, z.input<typeof advisory>[]> = Object.fromEntries(
    names.map((name) => [name, []]),
  );
  for await (const { ghsa_id: id, summary, severity, withdrawn_at, vulnerabilities } of advisoriesOf(
    names,
    api,
  )) {
    if (withdrawn_at !== null) continue;
    for (const name of names) {
      const affected = vulnerabilities
        .filter(({ package: of }) => of.ecosystem === 'npm' && of.name === name)
        .map((each) => ({ versions: each.vulnerable_version_range, fixed: each.first_patched_version }));
      if (affected.length > 0)
        packages[name]?.push({
          id,
          severity: severity === 'medium' ? 'moderate' : severity,
          summary,
          affected,
        });
    }
  }
  const source = 'GitHub Advisory Database (https://github.com/advisories, CC BY 4.0): reviewed, and malware';
  return { asOf: now.toISOString().slice(0, 10), source, packages };
}

if (import.meta.main) {
  const kept = join(import.meta.dirname, 'advisories.json');
  const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
  const lock = lockSchema.parse(read(resolve(import.meta.dirname, '../package-lock.json')));
  const now = new Date();
  if (process.argv[2] === 'renew') {
    const snapshot = await renewed({ lock, now, api: 'https://api.github.com' });
    snapshotSchema.parse(snapshot);
    writeFileSync(kept, `${JSON.stringify(snapshot, null, 2)}\n`);
  } else {
    const { passes, lines } = judged({ lock, snapshot: snapshotSchema.parse(read(kept)), now });
    console.log(lines.join('\n'));
    if (!passes) process.exitCode = 1;
  }
}
