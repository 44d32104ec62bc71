/** Leaves out what is absent: a list is written as it reads, with `condition && item` for an item that may be missing. */
export const compact = <Item>(items: readonly (Item | false | undefined)[]): Item[] =>
  items.filter((item): item is Item => item !== undefined && item !== false);
