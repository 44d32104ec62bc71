import { existsSync } from 'node:fs';
import { z } from 'zod';
import { UserError } from '../../language/errors.ts';
import { msg } from '../../language/text.ts';
import type { SettingRow, SettingsDesk, SettingValue } from '../../platforms/web/ports/settings-desk.ts';
import { ConfigError } from '../../runtime/errors.ts';
import { createTurns } from '../../runtime/turns.ts';
import type { Config } from '../config/config.ts';
import { readSettings } from '../config/config-file.ts';
import { isTree, type Tree } from '../config/config-problem.ts';
import { isSecret } from '../config/environment.ts';
import { type Layer, mergeTrees, ownSettingsFile, treeOf } from '../config/layers.ts';
import { writeOwnFile } from '../config/own-file.ts';

/** How the configuration came about, and comes about again. */
export interface SettingSources {
  /** What set the settings, each over those before it. */
  readonly layers: readonly Layer[];
  /** Reads the configuration with these settings of the page. @throws ConfigError */
  readonly read: (own: Tree) => Promise<Config>;
}

interface SettingsDeskOptions extends SettingSources {
  readonly config: Pick<Config, 'database' | 'platforms'>;
  /** config/schema.json: what each setting means, and what it may be. */
  readonly schema: unknown;
  /** Counts what a detector would have posted in this configuration, and in the one that runs. */
  readonly preview: (
    detector: string,
    given: { readonly changed: Config; readonly caller: Parameters<SettingsDesk['preview']>[1]['caller'] },
  ) => ReturnType<SettingsDesk['preview']>;
}

/** What may be changed while the bot runs, without losing anything that it stored. */
const changeable =
  /^(detectors\.[\w-]+\.(enabled|options\..+)|delivery\.budget|data\.embedded\.(market|symbols|speed))$/;

const node = z.looseObject({
  type: z.string().optional(),
  description: z.string().default(''),
  default: z.unknown().optional(),
  enum: z.array(z.string()).optional(),
  get properties() {
    return z.record(z.string(), node).optional();
  },
  get anyOf() {
    return z.array(node).optional();
  },
});
type Node = z.output<typeof node>;

/** Creates what the page shows and changes of the settings. */
export function createSettingsDesk({
  config,
  layers,
  schema,
  read,
  preview,
}: SettingsDeskOptions): SettingsDesk {
  const inTurn = createTurns<'change'>();
  const root = node.parse(schema);
  const file = ownSettingsFile(config.database);
  const ownTree = (): Tree => (file !== undefined && existsSync(file) ? readSettings(file) : {});
  const list = () => [...rowsOf(root, { path: [], config, layers })];

  /** Returns the settings of the page with this one changed, and the configuration that they make. */
  const withChange = async (path: string, value: SettingValue | undefined) => {
    const row = list().find((each) => each.path === path);
    if (row === undefined)
      throw new UserError(msg('There is no setting "{path}".', { path }), { code: 'unknown' });
    if (row.source === 'file' || row.source === 'environment')
      throw new UserError(msg('{path} is set by the environment or a file: change it there.', { path }), {
        code: 'conflict',
      });
    if (row.may === undefined || file === undefined)
      throw new UserError(msg('{path} is changed in a file or the environment only.', { path }), {
        code: 'conflict',
      });
    const keys = path.split('.');
    const own = value === undefined ? without(ownTree(), keys) : mergeTrees(ownTree(), treeOf(keys, value));
    try {
      return { own, changed: await read(own), file };
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      throw new UserError(error.problems.join('; '));
    }
  };

  return {
    list,
    change: (path, value) =>
      inTurn('change', async () => {
        const { own, file: to } = await withChange(path, value);
        await writeOwnFile(to, `${JSON.stringify(own, null, 2)}\n`);
      }),
    async preview(path, { value, caller }) {
      const [, detector] = /^detectors\.([\w-]+)\./.exec(path) ?? [];
      const { changed } = await withChange(path, value);
      return detector === undefined ? undefined : preview(detector, { changed, caller });
    },
  };
}

/** The settings below a part of the schema. Of platforms, those in use. */
function* rowsOf(
  { properties, ...part }: Node,
  {
    path,
    config,
    layers,
  }: Pick<SettingsDeskOptions, 'config' | 'layers'> & { readonly path: readonly string[] },
): Generator<SettingRow> {
  const name = path.join('.');
  const [group, platform] = path;
  const isUnused = ({ platform: each }: Config['platforms'][number]) => each.name !== platform;
  if (group === 'platforms' && platform !== undefined && config.platforms.every(isUnused)) return;
  if (properties !== undefined) {
    for (const [key, each] of Object.entries(properties))
      yield* rowsOf(each, { path: [...path, key], config, layers });
    return;
  }
  const set = layers.findLast(({ tree }) => valueAt(tree, path) !== undefined);
  const value = set === undefined ? part.default : valueAt(set.tree, path);
  const plain = z.union([z.string(), z.number(), z.boolean(), z.null()]).safeParse(value ?? null).data;
  const row = {
    path: name,
    source: set?.source ?? 'default',
    meaning: part.description,
  } as const;
  if (isSecret(name)) yield { ...row, shown: value === undefined || value === null ? '' : '…' };
  else
    yield {
      ...row,
      shown: plain === undefined ? JSON.stringify(value) : String(plain ?? ''),
      may: plain === undefined || !changeable.test(name) ? undefined : rangeOf(part),
    };
}

function rangeOf({ anyOf, ...part }: Node): SettingRow['may'] {
  const kinds = anyOf ?? [part];
  const { type, enum: choices } = kinds.find((each) => each.type !== 'null') ?? part;
  const kind = type === 'boolean' ? 'boolean' : type === 'number' || type === 'integer' ? 'number' : 'text';
  return { kind, choices, nullable: kinds.some((each) => each.type === 'null') };
}

const valueAt = (tree: unknown, path: readonly string[]): unknown =>
  path.reduce((inner, key) => (isTree(inner) ? inner[key] : undefined), tree);

/** Returns the tree without this setting, and without groups that are empty then. */
function without(tree: Tree, [key = '', ...inner]: readonly string[]): Tree {
  const { [key]: part, ...others } = tree;
  if (inner.length === 0 || !isTree(part)) return others;
  const rest = without(part, inner);
  return Object.keys(rest).length === 0 ? others : { ...others, [key]: rest };
}
