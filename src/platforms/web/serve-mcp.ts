import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import manifest from '../../../package.json' with { type: 'json' };
import { plainLine, plainLines } from '../../card/plain.ts';
import { cardJson, renderJson } from '../../card/render-json.ts';
import { plainReader, say } from '../../language/say.ts';
import type { WallClock } from '../../runtime/clock.ts';
import type { JsonObjectSchema, ServeMcp, Tool } from '../../runtime/mcp.ts';
import { createPatience, type Patience } from '../../runtime/patience.ts';
import { second } from '../../runtime/units.ts';
import type { Caller, Command } from '../../shell/command.ts';
import { isQuestion, mayRun } from '../../shell/rights.ts';
import { schemaOf, toTypedInputs } from './input-schema.ts';
import type { WebPorts } from './ports.ts';
import { mcpPath } from './routes.ts';
import { type Admit, refuse } from './visitor.ts';

interface AgentPorts extends Pick<WebPorts, 'ask' | 'commands'> {
  readonly admit: Admit;
  readonly wall: WallClock;
  readonly log: { error(context: object, message: string): void };
}

/**
 * Serves commands as tools of the Model Context Protocol. A caller with the right to ask gets the questions; a key that
 * may manage its place also gets the commands that change the place. The commands themselves check who may do what.
 */
export function serveAgents(
  app: FastifyInstance,
  { serve, ports }: { readonly serve: ServeMcp; readonly ports: AgentPorts },
): void {
  const { admit, commands, log } = ports;
  const within = createPatience(ports.wall, new AbortController().signal);
  const offered = commands.filter(({ takes }) => takes !== 'operate');
  serve(app, {
    path: mcpPath,
    name: 'tocsin',
    version: manifest.version,
    instructions,
    async toolsFor(request, reply) {
      const visitor = await admit(request);
      if (visitor === undefined || !visitor.rights.has('ask')) {
        refuse(reply, { visitor, scope: 'ask' });
        return undefined;
      }
      return offered
        .filter((command) => mayRun(command, visitor))
        .map((command) => toolOf(command, { caller: visitor, ask: ports.ask, within }));
    },
    log,
  });
}

/** Wall ms for which an agent waits for the part of an answer that comes later: its own patience ends after a minute. */
const laterTimeout = 20 * second;

function toolOf(
  command: Command,
  { caller, ask, within }: { readonly caller: Caller; readonly within: Patience } & Pick<WebPorts, 'ask'>,
): Tool {
  const { name, description, input } = command;
  return {
    name,
    description: say(description, plainReader),
    inputSchema: schemaOf(input),
    outputSchema,
    readOnly: isQuestion(command),
    async call(given) {
      const { later, failure, ...first } = await ask({ name, input: toTypedInputs(given, input) }, caller);
      if (failure === undefined)
        return { value: renderJson((later && (await within(laterTimeout, later))) ?? first) };
      return { refused: [plainLine(first.title), ...plainLines(first.summary ?? '')].join('\n') };
    },
  };
}

/**
 * The schema of a tool's output. It is short, because every tool repeats it and an agent pays for each: it has what can
 * be read, and not how it is drawn.
 */
const { $schema: _, ...outputSchema } = z.toJSONSchema(
  cardJson
    .pick({ title: true, summary: true, facts: true, table: true, dataTime: true, source: true })
    .loose(),
) as JsonObjectSchema;

const instructions = `Tocsin watches the crypto-derivatives market and tells people when it turns. These tools are the questions that people ask it in a chat: the market now and its past, alerts that were told and why, and their track record.
An answer is a card: a title, a summary, facts, a table, a chart with its points. "source" says whether the market is simulated, recorded or live: say so when you pass a number on. Markets are pairs such as BTCUSDT; "btc" is understood. Nothing here is a forecast or advice.`;
