import { plainReader, say } from '#src/language/say.ts';
import type { Platform } from '#src/platforms/platform.ts';

/** Returns what a platform says of a token, as `check` prints it. */
export async function saidProblem(
  platform: Pick<Platform, 'problem'>,
  options: unknown,
): Promise<string | null> {
  const problem = (await platform.problem?.(options, () => 0)) ?? null;
  return problem === null ? null : say(problem, plainReader);
}
