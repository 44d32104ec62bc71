import type { Severity } from './alert.ts';

/** Ready-made choices of what to be told, from few alerts to all: each includes the kinds of those before it. */
export const presets = [
  { name: 'quiet', minSeverity: 'critical' },
  { name: 'standard', minSeverity: 'warning' },
  { name: 'everything', minSeverity: 'info' },
] as const satisfies readonly { readonly name: string; readonly minSeverity: Severity }[];

export type Preset = (typeof presets)[number];
export type PresetName = Preset['name'];

export const presetNames = presets.map(({ name }) => name) as readonly PresetName[];

const rank = (name: PresetName): number => presets.findIndex((preset) => preset.name === name);

/** The kinds that a subscription to a preset is to, in the order given. */
export const presetKinds = (
  name: PresetName,
  detectors: readonly { readonly name: string; readonly preset: PresetName }[],
): string[] => detectors.filter(({ preset }) => rank(preset) <= rank(name)).map((detector) => detector.name);
