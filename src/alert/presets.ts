import type { Severity } from './alert.ts';

/** Ready-made choices of alerts, from few to all. Each preset includes the kinds of the presets before it. */
export const presets = [
  { name: 'quiet', minSeverity: 'critical' },
  { name: 'standard', minSeverity: 'warning' },
  { name: 'everything', minSeverity: 'info' },
] as const satisfies readonly { readonly name: string; readonly minSeverity: Severity }[];

/** The preset of subscriptions that name no kinds. `everything` is many times that. */
export const defaultPreset: PresetName = 'standard';
/** About how many posts a market day it brings, as `npm run bench -- rates` finds over 100 markets and thirteen weeks. */
export const defaultPosts = 2;

type Preset = (typeof presets)[number];
export type PresetName = Preset['name'];

export const presetNames = presets.map(({ name }) => name) as readonly PresetName[];

const rank = (name: PresetName): number => presets.findIndex((preset) => preset.name === name);

/** Returns the kinds that a preset includes, in the order given. Kinds without a preset are left out. */
export const presetKinds = (
  name: PresetName,
  kinds: readonly { readonly name: string; readonly preset?: PresetName }[],
): string[] =>
  kinds.filter(({ preset }) => preset !== undefined && rank(preset) <= rank(name)).map((kind) => kind.name);

/** Returns the smallest preset that has exactly these kinds; undefined if there is none. */
export const presetOf = (
  kinds: readonly string[],
  known: Parameters<typeof presetKinds>[1],
): PresetName | undefined =>
  presetNames.find((name) => {
    const all = presetKinds(name, known);
    return all.length === kinds.length && all.every((kind) => kinds.includes(kind));
  });
