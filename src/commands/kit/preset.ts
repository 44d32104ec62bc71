import type { Severity } from '../../alert/alert.ts';
import { defaultPreset, type PresetName, presetKinds, presets } from '../../alert/presets.ts';
import { UserError } from '../../language/errors.ts';
import { msg } from '../../language/text.ts';
import type { CommandContext } from '../../shell/command.ts';

/**
 * Returns the kinds and least severity: those given, or those of the preset (the usual one if neither is named). Throws
 * UserError if both kinds and a preset are given.
 */
export function chooseKinds(
  given: {
    readonly kinds: readonly string[] | undefined;
    readonly severity: Severity | undefined;
    readonly preset: PresetName | undefined;
  },
  known: CommandContext['kinds'],
): { readonly kinds: readonly string[]; readonly severity: Severity | undefined } {
  if (given.kinds !== undefined && given.preset === undefined) return { ...given, kinds: given.kinds };
  if (given.kinds !== undefined) {
    throw new UserError(msg('A preset already sets the kinds: give kinds or a preset, not both.'));
  }
  const name = given.preset ?? defaultPreset;
  const severity = given.severity ?? presets.find((preset) => preset.name === name)?.minSeverity;
  return { kinds: presetKinds(name, known), severity };
}
