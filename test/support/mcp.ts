import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/**
 * Connects the official client, by the protocol of 2026-07-28 or, with `legacy`, by the earlier one that begins with
 * `initialize`.
 */
export async function mcpClient(
  url: string,
  {
    headers = {},
    legacy = false,
  }: { readonly headers?: Record<string, string>; readonly legacy?: boolean } = {},
): Promise<Client & AsyncDisposable> {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: legacy ? 'legacy' : { pin: '2026-07-28' } } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}
