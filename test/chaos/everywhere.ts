import { setTimeout as delay } from 'node:timers/promises';
import { startChats } from '../kill/chats.ts';
import { type Ends, type Reply, type Request, webhooks } from '../kill/ends.ts';
import { wishes } from '../kill/storm.ts';
import { marketRoom } from './market.ts';
import type { PlatformFault, PlatformName } from './plan.ts';

/** Most ms that a slow platform takes. */
const slowest = 3_000;

/** Starts doubles of Discord and Telegram, and receivers of webhooks, each with faults that can be set; no Slack. */
export async function startEverywhere(
  random: () => number,
): Promise<Ends & { readonly faults: Map<PlatformName, PlatformFault> }> {
  const chats = await startChats('nonce and last messages', [...Object.keys(wishes), marketRoom]);
  const faults = new Map<PlatformName, PlatformFault>();
  const of = ({ path }: Request): PlatformName =>
    path.startsWith('/api/') ? 'discord' : path.startsWith('/bot') ? 'telegram' : 'webhook';
  const take = (request: Request) => (of(request) === 'webhook' ? webhooks : chats).take(request);
  return {
    faults,
    notifiers(origin) {
      const { slack: _, ...others } = chats.notifiers(origin);
      return { ...others, ...webhooks.notifiers(origin) };
    },
    receivers: (name, origin) => [
      ...chats.receivers(name, origin).filter(({ notifier }) => notifier !== 'slack'),
      ...webhooks.receivers(name, origin),
    ],
    async take(request) {
      const name = of(request);
      const fault = faults.get(name);
      if (fault === 'refuses') return refused[name];
      if (fault === 'busy') return spared[name];
      if (fault === 'unauthorized') {
        faults.delete(name);
        return json(401, {
          message: '401: Unauthorized',
          code: 0,
          ok: false,
          error_code: 401,
          description: 'Unauthorized',
        });
      }
      if (fault === 'slow') await delay(random() * slowest);
      const reply = await take(request);
      return fault === 'deaf' && random() < 1 / 2 ? { ...reply, unheard: true } : reply;
    },
    close: () => chats.close(),
  };
}

const json = (status: number, body: unknown): Reply => ({ status, body: JSON.stringify(body) });

const refused: Readonly<Record<PlatformName, Reply>> = {
  discord: json(503, { message: 'Service Unavailable', code: 0 }),
  telegram: json(503, { ok: false, error_code: 503, description: 'Service Unavailable' }),
  webhook: json(503, {}),
};
const spared: Readonly<Record<PlatformName, Reply>> = {
  discord: json(429, { message: 'You are being rate limited.', retry_after: 1, global: false }),
  telegram: json(429, {
    ok: false,
    error_code: 429,
    description: 'Too Many Requests: retry after 1',
    parameters: { retry_after: 1 },
  }),
  // Without a Retry-After the bot would send nothing there for a minute.
  webhook: { ...json(429, {}), headers: { 'retry-after': '1' } },
};
