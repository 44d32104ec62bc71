import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { say } from '../../language/say.ts';
import { msg } from '../../language/text.ts';
import { ConfigError } from '../../runtime/errors.ts';
import { slowRequests } from '../../runtime/slow-requests.ts';
import type { Caller } from '../../shell/command.ts';
import { maxLineLength } from '../../shell/parse.ts';
import type { Conversation } from '../platform.ts';
import { type Access, createAccess } from './access.ts';
import { builtPage } from './build.ts';
import { type CallerOf, createCallerOf, isMember, pageQuery, viewerOf, webReceiver } from './caller.ts';
import { createEvents, type Events, type Listener, type OpeningClient } from './events.ts';
import { protect } from './guard.ts';
import { createGuesses } from './guesses.ts';
import { openingOf, startPageUpdates } from './live.ts';
import { createMemberAccess, type MemberAccess } from './members.ts';
import { type PageFiles, readPage } from './page.ts';
import { draftRequest } from './ports/rule-desk.ts';
import type { HttpSettings, Report, WebPorts } from './ports.ts';
import { createPublisher } from './publish.ts';
import { createRooms } from './rooms.ts';
import { serveAlerts } from './serve-alerts.ts';
import { serveApi } from './serve-api.ts';
import { serveConnecting } from './serve-connecting.ts';
import { serveDestinations } from './serve-destinations.ts';
import { serveHealth } from './serve-health.ts';
import { serveHooks } from './serve-hooks.ts';
import { serveKeys } from './serve-keys.ts';
import { serveLogin } from './serve-login.ts';
import { serveAgents } from './serve-mcp.ts';
import { servePage } from './serve-page.ts';
import { servePush } from './serve-push.ts';
import { serveRules } from './serve-rules.ts';
import { serveSeries } from './serve-series.ts';
import { serveSettings } from './serve-settings.ts';
import { serveSignIn } from './serve-sign-in.ts';
import { answerCommand } from './show-answer.ts';
import { createAdmit } from './visitor.ts';

export interface ConsoleOptions
  extends HttpSettings,
    Report,
    Pick<
      WebPorts,
      | 'api'
      | 'ask'
      | 'board'
      | 'commands'
      | 'complete'
      | 'desk'
      | 'feed'
      | 'receiveHook'
      | 'keys'
      | 'messages'
      | 'reader'
      | 'record'
      | 'connecting'
      | 'dataChecks'
      | 'destinations'
      | 'image'
      | 'keyDesk'
      | 'members'
      | 'pictures'
      | 'push'
      | 'series'
      | 'watchlist'
      | 'settings'
      | 'wall'
    > {
  readonly log: { error(context: object, message: string): void };
}

export interface Console extends Conversation {
  /** E.g. `http://127.0.0.1:8080`. */
  readonly url: string;
  close(): Promise<void>;
}

/** The line is not trimmed: a space after a word says that the word is complete. */
const completionQuery = z.object({ line: z.string().max(maxLineLength).default('') });
const commandBody = pageQuery.extend({
  line: z.string().trim().min(1).max(maxLineLength),
  /** The page chooses the id and shows the question under it until the answer replaces it. */
  id: z
    .string()
    .regex(/^[A-Za-z0-9-]{8,64}$/)
    .optional(),
});

const draftBody = commandBody.omit({ line: true }).extend({ draft: draftRequest });

/** How many messages a page shows when it opens. */
const shownMessages = 100;

/** Starts the web console: the page, its chat, the APIs and monitoring. Resolves when the server listens. */
export async function createConsole(options: ConsoleOptions): Promise<Console> {
  const { wall, messages, reader, log } = options;
  const live = {
    ...options,
    health: async () => ({ ...(await options.status()), roles: await options.roles() }),
    viewerOf: ({ room, language, timeZone }: Listener) => {
      const place = options.members.readPlace(room);
      const receiver = place ?? webReceiver(room);
      return viewerOf({ receiver, language, timeZone, answeredElsewhere: place !== undefined }, reader);
    },
  };
  const rooms = createRooms(messages, shownMessages);
  const events = createEvents({
    clock: wall,
    recent: rooms.recent,
    opening: (listener) => openingOf(listener, live),
  });
  const pageUpdates = startPageUpdates(events, { ...live, rooms });

  const app = fastify({
    bodyLimit: 16 * 1_024,
    forceCloseConnections: true,
    http: slowRequests,
    requestTimeout: slowRequests.requestTimeout,
    frameworkErrors: refuseAddress,
  });
  app.removeContentTypeParser('text/plain');
  const access = createAccess(options, wall.now);
  const guesses = createGuesses(wall.now);
  const members = createMemberAccess(options);
  const callerOf = createCallerOf(access, members);
  protect(app, {
    ...options,
    roleOf: access.roleOf,
    sessionOf: members.sessionOf,
    guesses: access.isOpen ? undefined : guesses,
  });
  serveLogin(app, { access, guesses, members });
  serveSignIn(app, { ...options, members, guesses });
  // Requests for the page wait until it is built; monitoring and scripts do not wait.
  const built = builtPage();
  built.catch((error: unknown) =>
    log.error({ err: error }, 'the page could not be built; the bot runs on without it'),
  );
  let files: Promise<PageFiles> | undefined;
  const readFiles = () => {
    files ??= built.then(readPage);
    return files;
  };
  const page = { ...options, callerOf, members };
  servePage(app, { ...page, files: readFiles, access });
  serveAlerts(app, page);
  serveSeries(app, page);
  serveRules(app, page);
  serveConnecting(app, page);
  serveSettings(app, page);
  serveDestinations(app, page);
  serveKeys(app, options);
  servePush(app, page);
  serveHooks(app, options);
  serveHealth(app, options);
  serveChat(app, { ...page, events, access });
  const admit = createAdmit({ keys: options.keys, access, guesses });
  serveApi(app, { ...options, admit });
  if (options.mcp) {
    const { serveMcp } = await import('../../runtime/mcp.ts');
    serveAgents(app, { serve: serveMcp, ports: { ...options, admit } });
  }
  try {
    await app.listen({ host: options.host, port: options.port });
  } catch (cause) {
    await pageUpdates.stop();
    events.close();
    const at = `${options.host}:${options.port}`;
    throw new ConfigError(
      [`the console cannot listen on ${at}: stop what uses it, or set TOCSIN_HTTP_HOST and TOCSIN_HTTP_PORT`],
      { cause },
    );
  }

  return {
    url: app.listeningOrigin,
    async close() {
      await pageUpdates.stop();
      events.close();
      await app.close();
    },
  };
}

function serveChat(
  app: FastifyInstance,
  {
    ask,
    complete,
    desk,
    reader,
    messages,
    wall,
    log,
    events,
    access,
    members,
    callerOf,
  }: {
    readonly access: Access;
    readonly callerOf: CallerOf;
    readonly events: Events;
    readonly members: MemberAccess;
  } & Omit<ConsoleOptions, 'members'>,
): void {
  const publish = createPublisher({ messages, wall });
  /** What a member asks is shown to him alone: it is no message of a room. */
  const shownTo = (caller: Caller) => (isMember(caller) ? undefined : publish);
  app.get('/api/complete', async (request) => {
    return complete(completionQuery.parse(request.query).line, await callerOf(request));
  });

  app.post('/api/commands', async (request, reply) => {
    const { line, room, id } = commandBody.parse(request.body);
    const caller = await callerOf(request, request.body);
    const posting = { ask, publish: shownTo(caller), reader, wall, log };
    const answered = await answerCommand({ line, room, id, caller }, posting);
    if (answered.language !== undefined) reply.header('content-language', answered.language);
    return answered.message;
  });

  app.post('/api/rules', async (request) => {
    const { draft, room, id } = draftBody.parse(request.body);
    const caller = await callerOf(request, request.body);
    const { line, card } = await desk.save(draft, caller);
    const posting = { ask: async () => card, publish: shownTo(caller), reader, wall, log };
    return (await answerCommand({ line, room, id, caller }, posting)).message;
  });

  app.get('/api/events', async (request, reply) => {
    const { room, timeZone } = pageQuery.parse(request.query);
    const caller = await callerOf(request);
    const { language } = await reader(caller);
    const member = isMember(caller) ? await members.sessionOf(request.headers) : undefined;
    const last = request.headers['last-event-id'];
    return stream(reply, {
      events,
      room,
      language,
      timeZone,
      lastEventId: typeof last === 'string' ? last : undefined,
      session: member?.person ?? access.sessionOf(request.headers),
      mayStill: member && (() => members.mayStill(member, caller.receiver)),
      isOperator: access.roleOf(request.headers) === 'operator',
    });
  });
}

async function stream(
  reply: FastifyReply,
  { events, ...client }: { readonly events: Events } & OpeningClient,
) {
  const accepted = await events.open(reply.raw, client);
  if (accepted) return reply.hijack();
  return reply.code(503).send({ error: say(msg('Too many pages are open: close one.'), client) });
}

/** Answers an address that Fastify cannot read, before any route is known. */
const refuseAddress = ({ message }: Error, _request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  reply.code(400).send({ error: message });
