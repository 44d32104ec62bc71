import { InputError } from '../../runtime/errors.ts';
import { scrub } from '../../runtime/secret.ts';
import type { Config } from '../config/config.ts';
import type { CheckFinding } from './check.ts';

/** Prints each finding, well or not. Resolves with whether all is well. @throws InputError */
export async function runCheck({
  args: [part, ...more],
  config,
  print,
}: {
  /** The arguments that follow `check`. */
  readonly args: readonly string[];
  readonly config: Config;
  print(text: string): Promise<void>;
}): Promise<boolean> {
  if (more.length > 0 || (part !== undefined && part !== 'places'))
    throw new InputError('Usage:\nnpm run check\nnpm run check -- places\nnpm run check -- live\n');
  const findings =
    part === 'places' ? await placeFindings(config) : await (await import('./check.ts')).check(config);
  const read: CheckFinding = {
    what: 'the configuration',
    problem: null,
    lines: config.ignoredVariables.map(
      ({ name, meant }) =>
        `${name} is ignored: ${meant === undefined ? 'config/env.example lists the variables that are read' : `did you mean ${meant}?`}`,
    ),
  };
  for (const { what, problem, warning, lines = [] } of [read, ...findings]) {
    if (problem !== null) await print(`PROBLEM  ${what}: ${scrub(problem)}\n`);
    else await print(warning === undefined ? `ok       ${what}\n` : `WARNING  ${what}: ${warning}\n`);
    for (const line of lines) await print(`         ${scrub(line)}\n`);
  }
  // Of the files alone it is asked whether they are right: what could not be judged is not.
  const isWell = ({ problem, warning }: CheckFinding) =>
    problem === null && (part !== 'places' || warning === undefined);
  return findings.every(isWell);
}

async function placeFindings(config: Config): Promise<readonly CheckFinding[]> {
  const { checkPlaces } = await import('./check-places.ts');
  const unset = 'places (TOCSIN_PLACES) names no folder, so there are none';
  return config.placeFiles === null
    ? [{ what: 'the files of places', problem: null, lines: [unset] }]
    : checkPlaces(config);
}
