/** The ways in which a subscription's posts are written: with all parts, with the least, or by a template of one's own. */
export const styleNames = ['normal', 'minimal', 'own'] as const;

/** How the posts of a subscription look. Colour and footer go with every name. */
export interface Style {
  readonly name: (typeof styleNames)[number];
  /** Given with `own`: see `readTemplate`. */
  readonly template?: string | undefined;
  /** 0xRRGGBB, on platforms that have colours. */
  readonly color?: number | undefined;
  /** A line at the end of each post, which may lead to a page. */
  readonly footer?: { readonly text: string; readonly url?: string | undefined } | undefined;
}

/** The parts of a post that a template can name; `facts`, `links` and `chart` say where the post has these. */
export const templateParts = [
  ...['title', 'market', 'kind', 'severity', 'status', 'why', 'price', 'change1h', 'change24h'],
  ...['first', 'record', 'facts', 'links', 'chart', 'time', 'source'],
] as const;

/** A line of a template: texts, and parts by their names. */
export type TemplateLine = readonly (string | { readonly part: string })[];

const named = /\{([a-z]\w{0,20})\}/gi;

/** Reads a template. A line ends at a line break or a written `\n`. What is no name in braces stays as it is. */
export const readTemplate = (template: string): readonly TemplateLine[] =>
  template.split(/\r?\n|\\n/).map((line) =>
    line
      .split(named)
      .map((text, index) => (index % 2 === 1 ? { part: text.toLowerCase() } : text))
      .filter((piece) => piece !== ''),
  );

export const partsIn = (lines: readonly TemplateLine[]): readonly string[] =>
  lines.flatMap((line) => line.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.part])));

/** Returns the names in a template that are no part of a post. */
export const unknownParts = (lines: readonly TemplateLine[]): readonly string[] =>
  partsIn(lines).filter((part) => !(templateParts as readonly string[]).includes(part));
