import { UserError } from '../../language/errors.ts';
import { listOf, msg, type Text } from '../../language/text.ts';

/** Creates the error for an id that does not exist here; it lists the existing ids. @param title says which id was named */
export const noSuchId = (title: Text, existing: readonly { readonly id: string }[]): UserError =>
  new UserError(msg('Choose one of these: {ids}.', { ids: listOf(existing.map(({ id }) => id)) }), { title });
