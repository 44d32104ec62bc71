import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import manifest from '../../../package.json' with { type: 'json' };
import { parseInteger } from '../../runtime/arguments.ts';
import { wallClock } from '../../runtime/clock.ts';
import { InputError } from '../../runtime/errors.ts';
import { scrub } from '../../runtime/secret.ts';
import { iso, second } from '../../runtime/units.ts';
import { readMarket } from '../../service/run/market-choice.ts';
import { checkLive, type LiveSource } from '../../service/venues/live-check.ts';
import { loadVenues } from '../../service/venues/venue.ts';
import type { Config } from '../config/config.ts';

type Row = LiveSource['rows'][number];
type State = 'ok' | 'problem' | 'no answer' | 'not asked';

/**
 * Asks the sources of a live market for everything that the data service asks them for, prints what they gave, and writes it
 * into a file. Resolves with whether all is as it should be. @throws InputError
 */
export async function runCheckLive({
  args,
  data,
  signal,
  print,
}: {
  /** The arguments that follow `check live`. */
  readonly args: readonly string[];
  readonly data: Config['data'];
  /** Ends the check with what it has. */
  readonly signal: AbortSignal;
  print(text: string): Promise<void>;
}): Promise<boolean> {
  const startedAt = wallClock.now();
  const { values } = parseArgs({
    args: [...args],
    options: {
      listen: { type: 'string', default: '30' },
      report: {
        type: 'string',
        default: `live-check-${iso(startedAt).slice(0, 19).replaceAll(':', '')}.json`,
      },
    },
  });
  const listen = parseInteger('--listen', { text: values.listen, min: 1, max: 3_600 });
  // No macro data is read, so that its settings are not judged here.
  const choice = readMarket('live', { settings: { ...data.embedded, macro: 'none' } });
  if (choice.kind !== 'live') throw new TypeError('a live market is live');
  const { urls } = choice;
  const venues = await loadVenues();
  await print(
    `Asking ${venues.map(({ title }) => title).join(', ')} and the other sources, and listening for ${listen} s. Ctrl-C ends it with what there is.\n\n`,
  );
  const sources = await checkLive({
    venues,
    urls,
    fredKey: data.embedded.fredKey?.reveal() ?? null,
    listen: listen * second,
    wall: wallClock,
    random: Math.random,
    signal,
  });
  const anonymous = anonymizer(urls);
  await print(anonymous(sources.map(sourceText).join('\n')));
  const isWell = sources.every(({ rows }) => rows.every((row) => stateOf(row) === 'ok'));
  const report = {
    tocsin: manifest.version,
    at: iso(startedAt),
    seconds: { listened: listen, taken: (wallClock.now() - startedAt) / second },
    throughProxy: urls.proxy !== undefined,
    interrupted: signal.aborted,
    isWell,
    sources: sources.map(({ rows, ...source }) => ({
      ...source,
      rows: rows.map((row) => ({ state: stateOf(row), ...row })),
    })),
  };
  const file = resolve(values.report);
  await writeFile(file, `${anonymous(JSON.stringify(report, null, 2))}\n`).catch((cause: unknown) => {
    const code = String((cause as { code?: unknown }).code ?? cause);
    throw new InputError(`--report: ${file} cannot be written (${code}); give another file`, { cause });
  });
  await print(
    `\n${isWell ? 'All is as Tocsin expects.' : 'Not all is as Tocsin expects: see the lines that are not ok.'}\nThe report is in ${file}. It holds no key, address or name, so it can be sent.\n`,
  );
  return isWell;
}

function stateOf({ answers, isQuiet, findings }: Row): State {
  if (findings.length > 0) return answers > 0 ? 'problem' : 'no answer';
  return answers > 0 || isQuiet === true ? 'ok' : 'not asked';
}

/** How many limits of a source are printed, the most used ones first. The report has all. */
const maxPools = 3;

/** Returns the lines about one source: a row for each path and stream, with findings below it, and what was spent. */
function sourceText({ title, rows, spent }: LiveSource): string {
  const width = Math.max(...rows.map(({ what }) => what.length));
  const lines = rows.flatMap((row) => [
    `${stateOf(row).padEnd(9)}  ${row.what.padEnd(width)}  ${measures(row).join(', ')}`.trimEnd(),
    ...row.findings.flatMap(({ problem, remedy }) => [`             ${problem}`, `             → ${remedy}`]),
  ]);
  const used = spent
    .filter((pool) => pool.spent > 0)
    .sort((a, b) => b.spent / b.limit - a.spent / a.limit)
    .slice(0, maxPools)
    .map((pool) => `${pool.pool} ${pool.spent} of ${pool.limit} in ${pool.per / second} s`);
  return [
    title,
    ...lines.map((line) => `  ${line}`),
    ...(used.length > 0 ? [`  spent: ${used.join('; ')}`] : []),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function measures({ what, answers, slowest, weight, isQuiet }: Row): readonly string[] {
  if (isQuiet === true && answers === 0) return ['alive, nothing happened'];
  const isStream = what.startsWith('stream ');
  return [
    ...(answers > 0 ? [`${answers} ${isStream ? 'events' : answers === 1 ? 'answer' : 'answers'}`] : []),
    ...(slowest === undefined ? [] : [`${isStream ? 'first after ' : ''}${slowest} ms`]),
    ...(weight === undefined ? [] : [`weight ${weight}`]),
  ];
}

/** What may be an address of this machine, which exchanges name in bans. */
const addresses = [
  /\b\d{1,3}(?:\.\d{1,3}){3}\b/g,
  /(?<![\w:])(?=[\da-f:]*::|(?:[\da-f]+:){7})[\da-f:]{3,39}(?![\w:])/gi,
];
/** Shorter names are common text. */
const shortestName = 4;

/** Returns a function that takes secrets, addresses and the names of the configured hosts out of a text. */
function anonymizer({ venues, proxy, ...others }: Parameters<typeof checkLive>[0]['urls']) {
  const configured = [
    ...Object.values(venues).flatMap(({ rest, stream }) => [rest, stream]),
    ...Object.values(others),
  ];
  const names = [proxy ?? '', ...configured].flatMap((url) => {
    const { hostname = '', username = '', password = '' } = URL.parse(url) ?? {};
    return [hostname, username, password];
  });
  const hidden = names.filter((name) => name.length >= shortestName).sort((a, b) => b.length - a.length);
  return (text: string): string => {
    const known = hidden.reduce((left, name) => left.replaceAll(name, '[hidden]'), scrub(text));
    return addresses.reduce((left, pattern) => left.replace(pattern, '[address]'), known);
  };
}
