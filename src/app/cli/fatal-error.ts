import { lacksSpace } from '../../database/file.ts';
import { ConfigError, InputError } from '../../runtime/errors.ts';
import { scrub } from '../../runtime/secret.ts';

/** Exit codes. Those from 64 on are those of sysexits.h. */
export const exit = { ok: 0, differs: 1, usage: 64, software: 70, temporary: 75, config: 78 } as const;

/**
 * Returns the message for an error that ends the process, and its exit code. An error that the user can fix has no stack
 * trace; any other is a defect of the program and keeps its stack trace.
 */
export function describeFatalError(
  error: unknown,
  usage: string,
): { readonly text: string; readonly code: number } {
  const { text, code } = describeUnscrubbed(error, usage);
  return { text: scrub(text), code };
}

function describeUnscrubbed(error: unknown, usage: string): ReturnType<typeof describeFatalError> {
  if (error instanceof ConfigError) {
    const { length } = error.problems;
    const head = `${length === 1 ? 'A problem' : `${length} problems`} to fix:`;
    const text = `${head}\n${error.problems.map((each) => `  ${each}\n`).join('')}`;
    return { text, code: error.mayPass ? exit.temporary : exit.config };
  }
  if (lacksSpace(error))
    return { text: 'The disk of a database is full: make space, and start again.\n', code: exit.temporary };
  if (error instanceof InputError) return { text: `${error.message}\n`, code: exit.usage };
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string' && code.startsWith('ERR_PARSE_ARGS'))
    return { text: `${(error as Error).message}\n\n${usage}`, code: exit.usage };
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { text: `${stack}\n`, code: exit.software };
}
