import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/**
 * A tool of the Model Context Protocol, version 2026-07-28. `serveMcp` serves tools in the protocol's stateless form:
 * one POST is one request, its response is JSON, and nothing is kept between requests. Clients of 2025 and before,
 * which begin with `initialize`, are served without state too. Importing this file loads the MCP SDK, so it is imported
 * only if MCP is turned on.
 */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObjectSchema;
  readonly outputSchema: JsonObjectSchema;
  /** False if the tool may change something. */
  readonly readOnly: boolean;
  call(given: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ToolAnswer>;
}

export interface JsonObjectSchema {
  readonly [key: string]: unknown;
  readonly type: 'object';
}

type ToolAnswer =
  /** `text` is `value` as JSON, for clients that do not read structured content. The default is `JSON.stringify(value)`. */
  | { readonly value: Readonly<Record<string, unknown>>; readonly text?: string }
  /** An error message for the client: what was wrong, and what helps. */
  | { readonly refused: string };

export interface McpOptions {
  readonly path: string;
  /** The server's name, as clients show it. */
  readonly name: string;
  readonly version: string;
  /** Instructions that an agent is given before it calls any tool. */
  readonly instructions: string;
  /** Returns the tools that the sender of the request may use, or undefined if it has already sent the response itself. */
  readonly toolsFor: (request: FastifyRequest, reply: FastifyReply) => Offer | Promise<Offer>;
  readonly log: { error(context: object, message: string): void };
}
type Offer = readonly Tool[] | undefined;
export type ServeMcp = typeof serveMcp;

/** Bytes. A call of a tool has some hundred bytes of its own, besides what a client says about itself. */
const bodyLimit = 64 * 1_024;

const batchRefused = {
  code: ProtocolErrorCode.InvalidRequest,
  message: 'A batch is not taken: send one message for each request',
};

/** Adds the route of the MCP server to the app. */
export function serveMcp(app: FastifyInstance, options: McpOptions): void {
  const { path, name, version, instructions, toolsFor, log } = options;
  const failed = (error: unknown) => log.error({ err: error }, 'an MCP request failed');

  const handler = createMcpHandler(
    ({ authInfo }) => {
      const tools = (authInfo?.extra?.tools ?? []) as readonly Tool[];
      const server = new Server({ name, version }, { capabilities: { tools: {} }, instructions });
      server.setRequestHandler('tools/list', () => ({ tools: tools.map(toolEntry) }));
      server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
        const tool = tools.find((each) => each.name === params.name);
        if (tool === undefined)
          throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${params.name}`);
        return toolResult(
          await tool.call(params.arguments ?? {}, mcpReq.signal).catch((error: unknown) => {
            failed(error);
            throw new ProtocolError(ProtocolErrorCode.InternalError, 'Internal error');
          }),
        );
      });
      return server;
    },
    // The list of tools never changes, so there is nothing to subscribe to.
    { maxSubscriptions: 0 },
  );
  app.addHook('onClose', handler.close);

  void app.register(async (route) => {
    // The SDK parses the body itself, so that a body that is not JSON gets the protocol's own error.
    route.removeAllContentTypeParsers();
    route.addContentTypeParser(
      'application/json',
      { parseAs: 'string', bodyLimit },
      async (_: unknown, body: string) => body,
    );
    route.post(path, async (request, reply) => {
      const tools = await toolsFor(request, reply);
      if (tools === undefined) return reply;
      const body = String(request.body ?? '');
      // One request is counted as one. A batch, which the protocol had for one version, would hold up to a hundred.
      if (body.trimStart().startsWith('['))
        return reply.code(400).send({ jsonrpc: '2.0', id: null, error: batchRefused });
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      const response = await handler.fetch(
        new Request(new URL(path, 'http://localhost'), {
          method: 'POST',
          signal: gone.signal,
          headers: Object.entries(request.headers).map(([header, value]) => [header, String(value)]),
          body,
        }),
        { authInfo: { token: '', clientId: '', scopes: [], extra: { tools } } },
      );
      const { status } = response;
      return reply
        .code(status)
        .headers(Object.fromEntries(response.headers))
        .send(await response.text());
    });
  });
}

const toolEntry = ({ name, description, inputSchema, outputSchema, readOnly }: Tool) => ({
  name,
  description,
  inputSchema,
  outputSchema,
  annotations: { readOnlyHint: readOnly, destructiveHint: !readOnly, openWorldHint: false },
});

const toolResult = (answer: ToolAnswer) =>
  'refused' in answer
    ? { content: [{ type: 'text' as const, text: answer.refused }], isError: true }
    : {
        content: [{ type: 'text' as const, text: answer.text ?? JSON.stringify(answer.value) }],
        structuredContent: answer.value,
      };
