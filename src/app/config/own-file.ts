import { open, rename } from 'node:fs/promises';
import { ConfigError } from '../../runtime/errors.ts';

/** The file that becomes this one once it is whole. */
export const draftOf = (path: string): string => `${path}.new`;

/**
 * Writes a file of the bot's own, which its owner alone may read. A process that is killed meanwhile leaves the old file or the
 * new one, whole. @throws ConfigError
 */
export async function writeOwnFile(path: string, text: string): Promise<void> {
  try {
    const file = await open(draftOf(path), 'w', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draftOf(path), path);
  } catch (cause) {
    throw new ConfigError([`${path} cannot be written: may this user write there?`], { cause });
  }
}
