import { existsSync } from 'node:fs';
import { pathIn } from '../../database/open.ts';
import { memoized } from '../../language/memoized.ts';
import { readSettings, readYaml } from './config-file.ts';
import { isTree, type Tree } from './config-problem.ts';
import { type Env, readEnvironment, type Variables } from './environment.ts';

/** Settings that were set in one place: the built-in defaults, the page (`here`), a file, or a variable of the environment. */
export interface Layer {
  readonly source: 'default' | 'here' | 'file' | 'environment';
  readonly tree: Tree;
}

/** Returns the file in which settings are kept that were set on the page. Processes that share a database have none. */
export function ownSettingsFile(database: string): string | undefined {
  const path = pathIn(database);
  return path === undefined ? undefined : `${path}.settings`;
}

/** Reads the layers, each of which is over those before it. @throws ConfigError */
export function readLayers(
  builtIn: Tree,
  {
    env,
    variables,
    own,
  }: { readonly env: Env; readonly variables: Variables; readonly own: Tree | undefined },
): readonly Layer[] {
  const defaults: Layer = { source: 'default', tree: builtIn };
  const files: Layer[] = env.TOCSIN_CONFIG ? [{ source: 'file', tree: readSettings(env.TOCSIN_CONFIG) }] : [];
  const given = readEnvironment(env, variables).map(
    ([path, value]): Layer => ({ source: 'environment', tree: treeOf(path, value) }),
  );
  const { database } = [defaults, ...files, ...given].map(({ tree }) => tree).reduce(mergeTrees, {});
  const file = typeof database === 'string' ? ownSettingsFile(database) : undefined;
  const tree = own ?? (file !== undefined && existsSync(file) ? readSettings(file) : undefined);
  const here: Layer[] = tree === undefined ? [] : [{ source: 'here', tree }];
  return [defaults, ...here, ...files, ...given];
}

/**
 * Merges objects key by key. Any other value of the later layer replaces that of the earlier one, but a group of settings
 * that is left empty sets nothing.
 */
export function mergeTrees(under: Tree, over: Tree): Tree {
  const result: Record<string, unknown> = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const below = result[key];
    if (isTree(below) && value === null) continue;
    result[key] = isTree(value) && isTree(below) ? mergeTrees(below, value) : value;
  }
  return result;
}

/** The text is the same at each reload. */
export const readBuiltIn = memoized((defaults: string) => readYaml(defaults, 'config/default.yaml'));

export const treeOf = (path: readonly string[], value: unknown): Tree =>
  path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Tree;
