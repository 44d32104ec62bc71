import type { Platform } from '../../platforms/platform.ts';
import { isTree, type Tree } from './config-problem.ts';

/** A platform that an operator may connect while the bot runs, with the options that the environment sets. */
export interface ConnectablePlatform {
  readonly platform: Platform;
  readonly given: Tree;
}

/**
 * Takes out the platforms that the configuration does not turn on: nothing is given of them but where their API is and the
 * like, and none of what an operator is asked for who connects them.
 */
export function withoutConnectable(all: Tree, platforms: readonly Platform[]) {
  const tree = isTree(all.platforms) ? all.platforms : {};
  const off = platforms.flatMap((platform) => {
    const { [platform.name]: given = {} } = tree;
    const asked = Object.keys(platform.connecting?.asks ?? {});
    if (!isTree(given) || asked.length === 0 || asked.some((option) => given[option] !== undefined))
      return [];
    if (platform.name in tree && Object.keys(given).length === 0) return [];
    const { error } = platform.options.safeParse(given);
    const isWrong = error?.issues.some(({ path: [option] }) => !asked.includes(String(option))) ?? false;
    return isWrong ? [] : [{ platform, given }];
  });
  const names = new Set(off.map(({ platform }) => platform.name));
  const used = Object.fromEntries(Object.entries(tree).filter(([name]) => !names.has(name)));
  return { given: { ...all, ...(isTree(all.platforms) && { platforms: used }) }, connectable: off };
}
