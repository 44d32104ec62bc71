/** The same question has the same name: a query's parameters are plain values, and who asks writes them in one order. */
export function asked(query: object): string {
  let text = '';
  for (const name in query) text += `${name}=${(query as Readonly<Record<string, unknown>>)[name]} `;
  return text;
}
