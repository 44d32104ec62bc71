/**
 * A process with the console's code loaded that then lets agents in, and measures what that costs. It is forked with
 * `--expose-gc`, sends its result, and ends.
 */
import { once } from 'node:events';
import fastify from 'fastify';
import '#src/platforms/web/console.ts';
import { callerIn } from '#src/platforms/web/caller.ts';
import { serveAgents } from '#src/platforms/web/serve-mcp.ts';
import { loadPlugins } from '#src/runtime/plugins.ts';
import type { Command } from '#src/shell/command.ts';

export interface AgentsCost {
  /** Wall and processor ms until the route for agents is ready. */
  readonly took: number;
  readonly processor: number;
  /** Bytes added by it and some questions: to the process, and to heap and buffers after a collection. */
  readonly rss: number;
  readonly heap: number;
}

const commands = await loadPlugins<Command>(new URL('../../../src/commands', import.meta.url).pathname);

const memory = () => {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { rss, heap: heapUsed + external };
};

async function ask(app: ReturnType<typeof fastify>, body: object): Promise<void> {
  const { statusCode, body: said } = await app.inject({
    method: 'POST',
    url: '/mcp',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    payload: { jsonrpc: '2.0', id: 1, ...body },
  });
  if (statusCode !== 200) throw new Error(`an agent was answered ${statusCode}: ${said}`);
}

const app = fastify();
const log = { error: (context: object) => void console.error(context) };
const before = memory();
const [begun, used] = [performance.now(), process.cpuUsage()];
const { serveMcp } = await import('#src/runtime/mcp.ts');
serveAgents(app, {
  serve: serveMcp,
  ports: {
    commands,
    log,
    ask: async () => ({ title: 'Market' }),
    admit: async (headers) => callerIn('main', { headers, role: 'viewer' }),
  },
});
await app.ready();
const took = performance.now() - begun;
const { user, system } = process.cpuUsage(used);
for (let asked = 0; asked < 50; asked += 1) {
  await ask(app, { method: 'tools/list' });
  await ask(app, { method: 'tools/call', params: { name: 'market', arguments: {} } });
}
const after = memory();
const cost: AgentsCost = {
  took,
  processor: (user + system) / 1_000,
  rss: after.rss - before.rss,
  heap: after.heap - before.heap,
};
process.send?.(cost);
await once(process, 'disconnect');
process.exit();
