import { UserError } from '../../language/errors.ts';
import { listOf, msg, type Text } from '../../language/text.ts';

/** Who named an id that is none here is shown those that are. @param title says which id it was */
export const noSuchId = (title: Text, existing: readonly { readonly id: string }[]): UserError =>
  new UserError(msg('Choose one of these: {ids}.', { ids: listOf(existing.map(({ id }) => id)) }), { title });
