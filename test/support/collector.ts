import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

const id = (bytes: number) => z.string().regex(new RegExp(`^(?!0+$)[0-9a-f]{${2 * bytes}}$`));
const value = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ boolValue: z.boolean() }),
  z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
  z.strictObject({ doubleValue: z.number() }),
]);
const attributes = z.array(z.strictObject({ key: z.string().min(1), value })).transform((all, context) => {
  const found = Object.fromEntries(all.map((each) => [each.key, Object.values(each.value)[0]]));
  if (Object.keys(found).length < all.length) context.addIssue('a key comes twice');
  return found;
});
const nanoseconds = z.string().regex(/^\d{18,19}$/);
const place = { traceId: id(16), spanId: id(8) };
const span = z
  .strictObject({
    ...place,
    parentSpanId: id(8).optional(),
    name: z.string().min(1),
    kind: z.int().min(1).max(5),
    startTimeUnixNano: nanoseconds,
    endTimeUnixNano: nanoseconds,
    attributes,
    links: z.array(z.strictObject(place)),
    status: z.strictObject({ code: z.int().min(1).max(2).optional(), message: z.string().optional() }),
  })
  .refine(({ startTimeUnixNano: from, endTimeUnixNano: to }) => BigInt(from) <= BigInt(to), 'ends too early');
const request = z.strictObject({
  resourceSpans: z
    .array(
      z.strictObject({
        resource: z.strictObject({ attributes }),
        scopeSpans: z.array(
          z.strictObject({
            scope: z.strictObject({ name: z.string(), version: z.string() }),
            spans: z.array(span).min(1),
          }),
        ),
      }),
    )
    .min(1),
});

export type CollectedSpan = z.output<typeof span>;

export interface CollectorAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Starts a collector on loopback. It accepts only what opentelemetry-proto's ExportTraceServiceRequest allows in JSON, with ids
 * in lower-case hexadecimal digits, and each span only once.
 */
export async function startCollector() {
  const spans: CollectedSpan[] = [];
  const problems: string[] = [];
  const resources: Record<string, unknown>[] = [];
  const heads: IncomingHttpHeaders[] = [];
  const answers: CollectorAnswer[] = [];
  const judge = (text: string): CollectorAnswer => {
    const parsed = request.safeParse(JSON.parse(text));
    if (!parsed.success) {
      problems.push(z.prettifyError(parsed.error));
      return { status: 400 };
    }
    for (const { resource, scopeSpans } of parsed.data.resourceSpans) {
      resources.push(resource.attributes);
      for (const each of scopeSpans.flatMap((scope) => scope.spans)) {
        if (spans.some(({ spanId }) => spanId === each.spanId)) problems.push(`${each.spanId} comes twice`);
        spans.push(each);
      }
    }
    return { status: 200, body: '{}' };
  };
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    heads.push(incoming.headers);
    if (incoming.method !== 'POST' || incoming.url !== '/v1/traces')
      problems.push(`${incoming.method} ${incoming.url}`);
    if (incoming.headers['content-type'] !== 'application/json') problems.push('not as JSON');
    const answer = answers.shift() ?? judge(Buffer.concat(chunks).toString('utf8'));
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(answer.body ?? '{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    resources,
    heads,
    /** What was received and is invalid. */
    problems,
    /** Sets the responses to the next requests, whose bodies are then ignored. */
    next: (...given: readonly CollectorAnswer[]) => void answers.push(...given),
    named: (name: string) => spans.filter((each) => each.name === name),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
