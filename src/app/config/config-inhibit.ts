import { dataBlind } from '../../alert/alert.ts';
import { hookOfKind } from '../../alert/hook.ts';
import type { InhibitRule } from '../../alert/inhibit.ts';
import { ownRule } from '../../alert/rule.ts';
import type { Detector } from '../../detectors/detector.ts';
import { rank } from '../../language/closest.ts';

/** Returns what is wrong with the kinds in the rules of `inhibit`: a rule with a kind that no alert has would do nothing. */
export function kindProblems(
  rules: readonly InhibitRule[],
  detectors: readonly Pick<Detector, 'name'>[],
): string[] {
  const known = [...detectors.map(({ name }) => name), ownRule, dataBlind];
  return rules.flatMap(({ by, holds }, index) => {
    const held = holds.map((each, at) => {
      const isText = typeof each === 'string';
      return [`holds.${at}${isText ? '' : '.kind'}`, isText ? each : each.kind] as const;
    });
    return [['by.kind', by.kind] as const, ...held]
      .filter(([, kind]) => !known.includes(kind) && hookOfKind(kind) === undefined)
      .map(([where, kind]) => {
        const [meant] = rank(kind, known, 1);
        const remedy = meant === undefined ? `give one of ${known.join(', ')}` : `did you mean ${meant}?`;
        return `inhibit.${index}.${where}: there is no kind ${JSON.stringify(kind)}; ${remedy}`;
      });
  });
}
