import type { Severity } from '../../alert/alert.ts';
import { type PresetName, presetKinds, presets, usualPreset } from '../../alert/presets.ts';
import { UserError } from '../../language/errors.ts';
import { msg } from '../../language/text.ts';
import type { CommandContext } from '../../shell/command.ts';

/**
 * Kinds and least severity as given, or those of a preset: the usual one where neither is named. Throws UserError
 * where both are.
 */
export function choose(
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
  const name = given.preset ?? usualPreset;
  const severity = given.severity ?? presets.find((preset) => preset.name === name)?.minSeverity;
  return { kinds: presetKinds(name, known), severity };
}
