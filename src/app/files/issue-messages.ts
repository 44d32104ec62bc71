import type { z } from 'zod';
import { rank } from '../../language/closest.ts';
import { plainReader, say } from '../../language/say.ts';
import { issueText } from '../../shell/issue.ts';
import type { Path } from '../../shell/sheet.ts';

/**
 * Writes a schema's issue as messages with their paths. @param knownNames the valid names, from which a misspelt one is
 * corrected
 */
export function issueMessages(
  issue: z.core.$ZodIssue,
  knownNames: readonly string[],
): { readonly path: Path; readonly text: string }[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => {
      const [meant] = rank(key, knownNames, 1);
      const remedy = meant === undefined ? `there are ${knownNames.join(', ')}` : `did you mean ${meant}?`;
      return { path: [...issue.path, key], text: `no such name: "${key}"; ${remedy}` };
    });
  const name = issue.path.findLast((key) => typeof key === 'string');
  const text = say(issueText(issue), plainReader);
  return [{ path: issue.path, text: name === undefined ? text : `${name}: ${text}` }];
}
