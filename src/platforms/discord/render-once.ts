import type { Card } from '../../card/card.ts';
import { second } from '../../runtime/units.ts';
import { type PostMark, withMark } from './mark.ts';
import { type DiscordMessage, renderDiscord } from './render.ts';
import type { CommandIds } from './text.ts';

type Pages = [DiscordMessage, ...DiscordMessage[]];

interface RenderedCard {
  /** Market ms at which it was rendered, by which it shows the age of its data. */
  readonly at: number;
  readonly image: string | undefined;
  readonly ids: CommandIds;
  readonly pages: Pages;
}

/** For how long a rendering is reused, market ms: the age of the data is shown in seconds. */
const reusedFor = second;

/**
 * Returns a function that does what `renderDiscord` does, once for all posts of a card that are sent together: they differ
 * only in their marks.
 */
export function createRendering(): (
  card: Card<string>,
  given: {
    readonly now: number;
    readonly image?: string | undefined;
    readonly ids: CommandIds;
    readonly mark: PostMark;
  },
) => Pages {
  const cached = new WeakMap<Card<string>, RenderedCard>();
  return (card, { now, image, ids, mark }) => {
    const known = cached.get(card);
    const isSame = known?.image === image && known?.ids === ids;
    const isCurrent = known !== undefined && isSame && Math.abs(now - known.at) < reusedFor;
    const pages = isCurrent ? known.pages : renderDiscord(card, { now, mark, image, ids });
    if (!isCurrent) cached.set(card, { at: now, image, ids, pages });
    const [first, ...others] = pages;
    return [{ ...first, components: withMark(first.components, mark) }, ...others];
  };
}
