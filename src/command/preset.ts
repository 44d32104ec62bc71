import type { Severity } from '../alert/alert.ts';
import { type PresetName, presetKinds, presets } from '../alert/presets.ts';
import type { CommandContext } from '../commands/command.ts';
import { msg } from '../language/text.ts';
import { UserError } from '../runtime/errors.ts';

/** Kinds and least severity as given, or those of a preset. Throws UserError where both kinds and a preset are given. */
export function choose(
  given: {
    readonly kinds: readonly string[];
    readonly severity: Severity | undefined;
    readonly preset: PresetName | undefined;
  },
  known: CommandContext['kinds'],
): { readonly kinds: readonly string[]; readonly severity: Severity | undefined } {
  const preset = presets.find(({ name }) => name === given.preset);
  if (preset === undefined) return given;
  if (!given.kinds.includes('*')) {
    throw new UserError(
      msg('A preset says which kinds of alerts it is about: give either kinds or a preset.'),
    );
  }
  const detectors = known.flatMap(({ name, preset }) => (preset === undefined ? [] : [{ name, preset }]));
  return { kinds: presetKinds(preset.name, detectors), severity: given.severity ?? preset.minSeverity };
}
