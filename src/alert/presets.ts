import type { Severity } from './alert.ts';

/** Ready-made choices of what to be told, from few alerts to all: each includes the kinds of those before it. */
export const presets = [
  { name: 'quiet', minSeverity: 'critical' },
  { name: 'standard', minSeverity: 'warning' },
  { name: 'everything', minSeverity: 'info' },
] as const satisfies readonly { readonly name: string; readonly minSeverity: Severity }[];

/** What whoever names no kinds gets: about two posts a day, where everything is many times that. */
export const usualPreset: PresetName = 'standard';

export type Preset = (typeof presets)[number];
export type PresetName = Preset['name'];

export const presetNames = presets.map(({ name }) => name) as readonly PresetName[];

const rank = (name: PresetName): number => presets.findIndex((preset) => preset.name === name);

/** The kinds that a subscription to a preset is to, in the order given; those that belong to none are left out. */
export const presetKinds = (
  name: PresetName,
  kinds: readonly { readonly name: string; readonly preset?: PresetName }[],
): string[] =>
  kinds.filter(({ preset }) => preset !== undefined && rank(preset) <= rank(name)).map((kind) => kind.name);
