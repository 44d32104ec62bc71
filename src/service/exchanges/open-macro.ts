import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { WallClock } from '../../runtime/clock.ts';
import { ConfigError } from '../../runtime/errors.ts';
import { fredMacro } from './fred.ts';
import { csvMacro, type MacroProvider, parseCloses } from './macro.ts';
import type { LiveUrls } from './urls.ts';

/** Where values of other markets come from. `key` is plain text because it is passed to another thread. */
export type MacroChoice =
  | { readonly kind: 'fred'; readonly key: string }
  | { readonly kind: 'csv'; readonly dir: string };

const knownSeries = ['sp500', 'gold', 'dxy', 'broad_dollar', 'vix'];

/** Opens the chosen provider. @throws ConfigError if the folder has no file of a known series, or a file without values */
export async function openMacro(
  choice: MacroChoice,
  {
    wall,
    signal,
    urls: { fred, proxy },
  }: {
    readonly wall: WallClock;
    readonly signal: AbortSignal;
    readonly urls: Pick<LiveUrls, 'fred' | 'proxy'>;
  },
): Promise<MacroProvider> {
  return choice.kind === 'fred'
    ? fredMacro({ url: fred, key: choice.key, wall, signal, proxy })
    : readMacroFolder(choice.dir);
}

/** Reads the CSV files of a folder. @throws ConfigError as `openMacro` does, or if the folder cannot be read */
export async function readMacroFolder(dir: string): Promise<MacroProvider> {
  const files = await readdir(dir).catch((cause) => {
    throw new ConfigError([`data.embedded.macro: the folder ${dir} cannot be read: is the path right?`], {
      cause,
    });
  });
  // A file may be called `vix.csv` or, as in datasets/finance-vix, `vix-daily.csv`.
  const seriesFiles = files.flatMap((file) => {
    const series = basename(file, '.csv')
      .replace(/-daily$/, '')
      .toLowerCase();
    return file.endsWith('.csv') && knownSeries.includes(series) ? [{ series, file: join(dir, file) }] : [];
  });
  if (seriesFiles.length === 0) {
    throw new ConfigError([
      `data.embedded.macro: the folder ${dir} holds none of ${knownSeries.map((name) => `${name}.csv`).join(', ')}`,
    ]);
  }
  return csvMacro(
    Object.fromEntries(
      await Promise.all(
        seriesFiles.map(async ({ series, file }) => [series, await readCloses(series, file)]),
      ),
    ),
  );
}

async function readCloses(series: string, file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw new ConfigError([`data.embedded.macro: ${file} cannot be read. Check its permissions.`], { cause });
  });
  if (parseCloses(series, text).length > 0) return text;
  throw new ConfigError([
    `data.embedded.macro: ${file} holds no values: give lines such as 2024-01-31,…,14.35`,
  ]);
}
