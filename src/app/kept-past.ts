import { createHash } from 'node:crypto';
import type { PastAlerts } from '../preview/past-alerts.ts';
import type { Store } from '../store/ports.ts';

const name = 'replayed past';
/** Version of the stored format. A past of another version is computed anew. */
const formatVersion = 2;

/**
 * Keeps the past of the standard alerts across restarts. A stored past is ignored, and so computed anew, if it cannot be read
 * or belongs to another market, other settings or another version of the bot.
 * @param inputs the market, the settings and the bot's version
 */
export function createPastMemory(store: Pick<Store, 'settings'>, inputs: unknown) {
  const key = createHash('sha256')
    .update(JSON.stringify([formatVersion, inputs]))
    .digest('hex');
  return {
    async recall(): Promise<PastAlerts | undefined> {
      const text = await store.settings.get(name);
      if (text === undefined) return undefined;
      try {
        const kept = JSON.parse(text) as { readonly key: string; readonly past: PastAlerts };
        return kept.key === key ? kept.past : undefined;
      } catch {
        return undefined;
      }
    },
    remember: (past: PastAlerts) => store.settings.put(name, JSON.stringify({ key, past })),
  };
}
