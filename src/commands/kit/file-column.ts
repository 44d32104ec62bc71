import { msg, type Text } from '../../language/text.ts';

/** A thing that a place has. `file` names the file that set it, if one did. */
interface Filed {
  readonly file?: string | undefined;
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
