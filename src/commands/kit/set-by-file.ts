import { UserError } from '../../language/errors.ts';
import { listOf, msg, type Text } from '../../language/text.ts';

/** A thing that a place has. `file` names the file that set it, if one did. */
interface Filed {
  readonly file?: string;
}

export const changedByOperator: Text = msg('Whoever runs the bot changes it there.');

/**
 * Returns the things that may be changed here, because no file has set them. Throws UserError if files have set all of
 * them.
 */
export function requireChangeable<Thing extends Filed & { readonly id: string }>(
  meant: readonly Thing[],
): readonly Thing[] {
  const own = meant.filter(({ file }) => file === undefined);
  const files = [...new Set(meant.flatMap(({ file }) => file ?? []))];
  if (own.length > 0 || files.length === 0) return own;
  throw new UserError(changedByOperator, {
    title: msg('{ids} {count, plural, one {is} other {are}} set by {files}', {
      ids: listOf(meant.map(({ id }) => id)),
      count: meant.length,
      files: listOf(files),
    }),
  });
}

/** Returns a fact that names the file which has set a thing. Empty if no file has. */
export const fileFact = ({ file }: Filed): { readonly name: Text; readonly value: Text }[] =>
  file === undefined ? [] : [{ name: msg('Set by'), value: file }];

/** Returns the last column of a list, which names files. It is empty unless a file has set one of the things. */
export function fileColumn(things: readonly Filed[]) {
  const hasFiles = things.some(({ file }) => file !== undefined);
  return {
    heading: hasFiles ? [msg('Set by')] : [],
    cell: ({ file }: Filed): Text[] => (hasFiles ? [file ?? ''] : []),
  };
}
