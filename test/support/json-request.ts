/** A request with a body of JSON. */
export const jsonRequest = <Method extends string>(
  method: Method,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
) => ({
  method,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});
