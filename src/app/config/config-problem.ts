import type { z } from 'zod';
import { rank } from '../../language/closest.ts';
import { isSecret, type Variables } from './environment.ts';

/** Settings by name, nested as in a configuration file. */
export type Tree = Readonly<Record<string, unknown>>;
export const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Writes a validation error for the operator: which setting, what is wrong, and what to give instead. */
export function problemsOf(
  issue: z.core.$ZodIssue,
  {
    given,
    variables,
    namesAt,
  }: {
    readonly given: Tree;
    readonly variables: Variables;
    /** Returns the names of the settings of a group. */
    readonly namesAt: (path: readonly string[]) => readonly string[];
  },
): string[] {
  const path = issue.path.map(String);
  const where = path.join('.') || 'the configuration';
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(
      (key) => `${[...path, key].join('.')}: no such setting; ${nearest([...path, key], namesAt)}`,
    );
  }
  const variable = Object.entries(variables).find(([, target]) => target.join('.') === where)?.[0];
  const value = valueAt(given, path);
  const text = typeof value === 'number' ? String(value) : JSON.stringify(value ?? null);
  // Not shown: a text with an @, which may be a URL with a password, even if the URL is malformed; and what stands where
  // settings belong, which may be the token of one of them, or several settings.
  const shown =
    text === 'null'
      ? 'missing'
      : isSecret(where) || text.includes('@') || isTree(value) || expectsTree(issue)
        ? 'not valid (its value is not shown here)'
        : `${text.slice(0, 80)} is not valid`;
  return [`${where}${variable === undefined ? '' : ` (${variable})`}: ${shown}; ${allowed(issue)}`];
}

/** Returns the names of the settings that a schema has at a path; none where it has no such group. */
export function namesIn(schema: z.ZodType, path: readonly string[]): readonly string[] {
  const { shape } = bare(schema) as { readonly shape?: Readonly<Record<string, z.ZodType>> };
  const [name, ...rest] = path;
  if (shape === undefined) return [];
  const inner = name === undefined ? undefined : shape[name];
  return name === undefined ? Object.keys(shape) : inner === undefined ? [] : namesIn(inner, rest);
}

/** Returns a schema without what makes it optional, or converts its output. */
function bare(schema: z.ZodType): z.ZodType {
  const { innerType, in: input } = schema.def as { readonly innerType?: z.ZodType; readonly in?: z.ZodType };
  const inner = innerType ?? input;
  return inner === undefined ? schema : bare(inner);
}

const expectsTree = (issue: z.core.$ZodIssue): boolean =>
  issue.code === 'invalid_type' && (issue.expected === 'object' || issue.expected === 'record');

const valueAt = (given: Tree, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (tree, key) => (isTree(tree) ? tree[key] : Array.isArray(tree) ? tree[Number(key)] : undefined),
    given,
  );

/** Suggests which setting of the same group a misspelt one may mean, or of which group it is. */
function nearest(path: readonly string[], namesAt: (path: readonly string[]) => readonly string[]): string {
  const folder = path.slice(0, -1);
  const key = path.at(-1) ?? '';
  const [meant] = rank(key, namesAt(folder), 1);
  const group = folder.length > 0 ? undefined : namesAt([]).find((each) => namesAt([each]).includes(key));
  const name = meant === undefined ? (group === undefined ? undefined : [group, key]) : [...folder, meant];
  return name === undefined ? 'config/default.yaml lists them all' : `did you mean ${name.join('.')}?`;
}

const allowed = (issue: z.core.$ZodIssue): string => {
  if (issue.code === 'invalid_value') return `give one of ${issue.values.join(', ')}`;
  if (issue.code === 'too_big') return `give at most ${issue.maximum}`;
  if (issue.code === 'too_small') {
    const unit = units[issue.origin]?.[issue.minimum === 1 ? 0 : 1];
    const counted = unit === undefined ? '' : ` ${unit}`;
    return `give ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}${counted}`;
  }
  // A text of our own says more than the type that zod expects.
  if (issue.code === 'invalid_type' && !issue.message.startsWith('give '))
    return `give ${typeNames[issue.expected] ?? `a ${issue.expected}`}`;
  return issue.message;
};

/** What is counted of a value that has a length: one, and several. */
const units: Readonly<Record<string, readonly [string, string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
};

/** Types that are not called by zod's name for them. */
const typeNames: Readonly<Record<string, string>> = {
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'settings by name',
  record: 'settings by name',
  nonoptional: 'a value',
};
