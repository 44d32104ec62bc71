import type { Text } from '../language/text.ts';
import type { Readiness } from '../platforms/ports.ts';

/** Tracks whether the bot has started and which platforms have refused their token. */
export function createReadiness() {
  const refusals = new Map<string, Text>();
  let started = false;
  return {
    /** Platforms that do not accept their token, with the reason that they gave. */
    refusals: refusals as ReadonlyMap<string, Text>,
    refused: (platform: string, reason: Text) => void refusals.set(platform, reason),
    /** Called when the bot watches the market. */
    markStarted() {
      started = true;
    },
    state: (): Readiness => ({ started, refusedPlatforms: [...refusals.keys()] }),
  };
}
