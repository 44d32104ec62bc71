/** An element of a drawing. The server writes it as text for a picture, the page makes elements of it. */
export interface Shape {
  readonly tag: 'svg' | 'g' | 'rect' | 'path' | 'circle' | 'text';
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly children: readonly (Shape | string)[];
}

export const shape = (
  tag: Shape['tag'],
  attributes: Shape['attributes'],
  ...children: Shape['children']
): Shape => ({ tag, attributes, children });

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Characters that XML does not allow: a single one of them would prevent the whole picture. */
const notInXml = /[^\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const escaped = (text: string): string =>
  text.replace(notInXml, ' ').replace(/[&<>"]/g, (letter) => entities[letter] ?? '');

/** Returns a drawing as SVG. Texts of others stay text, whatever they contain. */
export function markup({ tag, attributes, children }: Shape): string {
  const given = Object.entries(attributes).map(([name, value]) => ` ${name}="${escaped(String(value))}"`);
  const inside = children.map((child) => (typeof child === 'string' ? escaped(child) : markup(child)));
  return `<${tag}${given.join('')}>${inside.join('')}</${tag}>`;
}
