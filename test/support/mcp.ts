import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** The official client, connected in the protocol of its time: 2026-07-28, or that of before, with `initialize`. */
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
