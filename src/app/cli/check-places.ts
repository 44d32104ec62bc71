import { existsSync } from 'node:fs';
import type { Kysely } from 'kysely';
import { openToRead } from '../../database/open.ts';
import { addressesOf } from '../../platforms/platform.ts';
import { wallClock } from '../../runtime/clock.ts';
import { flawText } from '../../shell/sheet.ts';
import { heldIn } from '../../store/places/files.ts';
import { settings } from '../../store/state/settings.ts';
import type { Tables } from '../../store/tables.ts';
import type { Config } from '../config/config.ts';
import { marketsSetting } from '../files/keep-files.ts';
import { planOf, receiversOf } from '../files/plan.ts';
import { planLines, planSummary } from '../files/plan-lines.ts';
import { readPlaces } from '../files/read.ts';
import { kindsOf } from '../kinds.ts';
import type { CheckFinding } from './check.ts';

/**
 * Reports what applying the files of places would change now, or what is wrong with the files, each with its line. Changes
 * nothing.
 */
export async function checkPlaces(
  config: Pick<Config, 'places' | 'placeFiles' | 'platforms' | 'detectors' | 'database'>,
): Promise<CheckFinding[]> {
  const { placeFiles } = config;
  if (placeFiles === null) return [];
  const what = `the files of places (${config.places})`;
  const passed = (...lines: readonly string[]): CheckFinding[] => [{ what, problem: null, lines }];
  const unjudged = (warning: string): CheckFinding[] => [{ what, problem: null, warning }];
  const platforms = config.platforms.map(({ platform }) => platform);
  const markets = await readFromDatabase(config.database, (db) => settings(db).get(marketsSetting));
  const { wanted, flaws, unread } = await readPlaces(placeFiles, {
    platforms,
    kinds: kindsOf(config),
    universe: typeof markets === 'string' ? JSON.parse(markets) : [],
    now: wallClock.now(),
  });
  if (flaws.length > 0) return [{ what, problem: flaws.map(flawText).join('\n         ') }];
  if (unread > 0)
    return unjudged(
      `${unread} of their entries name markets, which are not known before the bot has run with files once: only the rest is checked. Pairs in full, such as BTCUSDT, are checked before`,
    );
  const held = await readFromDatabase(config.database, (db) => heldIn(db, receiversOf(wanted)));
  if (held === unreadable)
    return unjudged('what would change is not known: the bot’s database cannot be read as it is');
  const plan = planOf(wanted, held ?? { subscriptions: [], rules: [], watchlists: [] });
  const summary = planSummary(plan);
  return summary === undefined
    ? passed('places have what they say')
    : passed(`to be applied: ${summary}`, ...planLines(plan, addressesOf(platforms).shown));
}

const unreadable = Symbol('unreadable');

/** Reads from the database, even while the bot runs. Undefined if there is no database yet. */
async function readFromDatabase<Result>(
  url: string,
  read: (db: Kysely<Tables>) => Promise<Result>,
): Promise<Result | typeof unreadable | undefined> {
  if (url.startsWith('file:') && !existsSync(url.slice('file:'.length))) return undefined;
  try {
    const database = await openToRead<Tables>(url);
    try {
      return await read(database.db);
    } finally {
      await database.close();
    }
  } catch {
    // The check of the database reports what is wrong with it.
    return unreadable;
  }
}
