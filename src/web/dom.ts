type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Creates an element with attributes and children. Strings become text nodes, so data can never become mark-up. */
// biome-ignore lint/complexity/useMaxParams: its children come one after the other, as they stand on the page
export function html<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  return fill(document.createElement(name), { attributes, children });
}

function fill<Target extends Element>(
  element: Target,
  {
    attributes,
    children,
  }: { readonly attributes: Attributes; readonly children: readonly (Node | string)[] },
): Target {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false)
      element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children);
  return element;
}

/** Returns an element of index.html. */
export function find<Type extends Element>(id: string, type: new () => Type): Type {
  const element = document.getElementById(id);
  if (element instanceof type) return element;
  throw new Error(`index.html has no #${id}`);
}
