/**
 * Returns a text that identifies a query. Equal queries give equal text, because parameters are plain values and each caller
 * writes them in the same order.
 */
export function queryKey(query: object): string {
  let text = '';
  for (const name in query) text += `${name}=${(query as Readonly<Record<string, unknown>>)[name]} `;
  return text;
}
