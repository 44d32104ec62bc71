import type { FastifyInstance } from 'fastify';
import { databasePatience, resolvesWithin } from '../../runtime/within.ts';
import type { BotStatus } from '../../shell/command.ts';
import type { Report, WebPorts } from './ports.ts';

/** Old data is marked as old wherever it is shown, so a bot without fresh data is still ready. */
const isFresh = ({ away, feeds }: BotStatus): boolean =>
  away === undefined && feeds.every(({ fresh }) => fresh);

/** How much of the past is loaded, 0 to 1, while it is not all. */
const progressOf = ({ loaded }: BotStatus) =>
  loaded === undefined ? {} : { progress: Math.round(loaded * 100) / 100 };

/** Serves monitoring: whether the bot runs, is ready, and what it counts. */
export function serveHealth(
  app: FastifyInstance,
  { ready, roles, wall, metrics, status, alerts, deliveries }: Report & Pick<WebPorts, 'wall'>,
): void {
  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const { started, databaseProblem: problem, refusedPlatforms: refused } = ready();
    const notReady = (status: string, more: object = {}) => reply.code(503).send({ status, ...more });
    if (problem !== undefined) return notReady('database lost', { problem });
    const state = Promise.all([roles(), status()]);
    const isThere = await resolvesWithin(databasePatience, { work: state, clock: wall });
    if (!started) return notReady('starting', isThere ? progressOf((await state)[1]) : {});
    if (!isThere) return notReady('no database');
    const [allRoles, found] = await state;
    const unheld = allRoles.filter(({ held }) => !held).map(({ role }) => role);
    if (unheld.length > 0) return notReady('roles without a process', { roles: unheld });
    if (refused.length > 0) return notReady('refused', { refused });
    const { canary } = found;
    if (canary?.late === true) return notReady('alerts do not arrive', { lastTestAlert: canary.last });
    const data = found.loaded !== undefined ? 'loading' : isFresh(found) ? 'fresh' : 'stale';
    return { status: 'ready', data, ...progressOf(found) };
  });
  app.get('/metrics', async (_request, reply) => {
    const text = await metrics();
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(text);
  });
  app.get('/api/status', () => status());
  app.get('/api/alerts', () => alerts());
  app.get('/api/deliveries', () => deliveries());
}
