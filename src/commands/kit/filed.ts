import { UserError } from '../../language/errors.ts';
import { listOf, msg, type Text } from '../../language/text.ts';

/** What a place has, which a file may have for it. */
interface Filed {
  readonly file?: string;
}

export const changedThere: Text = msg('Whoever runs the bot changes it there.');

/** Of those meant, the ones that may be changed here. Throws UserError where files have them all. */
export function ownAmong<Thing extends Filed & { readonly id: string }>(
  meant: readonly Thing[],
): readonly Thing[] {
  const own = meant.filter(({ file }) => file === undefined);
  const files = [...new Set(meant.flatMap(({ file }) => file ?? []))];
  if (own.length > 0 || files.length === 0) return own;
  throw new UserError(changedThere, {
    title: msg('{ids} {count, plural, one {is} other {are}} set by {files}', {
      ids: listOf(meant.map(({ id }) => id)),
      count: meant.length,
      files: listOf(files),
    }),
  });
}

/** As a fact of its card; none where it is the place’s own. */
export const fileFact = ({ file }: Filed): { readonly name: Text; readonly value: Text }[] =>
  file === undefined ? [] : [{ name: msg('Set by'), value: file }];

/** As the last column of a list: only where a file has any of them. */
export function fileColumn(things: readonly Filed[]) {
  const any = things.some(({ file }) => file !== undefined);
  return {
    heading: any ? [msg('Set by')] : [],
    cell: ({ file }: Filed): Text[] => (any ? [file ?? ''] : []),
  };
}
