import type { Text } from '../language/text.ts';
import type { Readiness } from '../platforms/ports.ts';

/** How far a start has come, and which platforms stay out of it. */
export function createReadiness() {
  const refusals = new Map<string, Text>();
  let started = false;
  return {
    /** Platforms that do not accept their token, and what they say. */
    refusals: refusals as ReadonlyMap<string, Text>,
    refused: (platform: string, reason: Text) => void refusals.set(platform, reason),
    /** The bot watches. */
    begin() {
      started = true;
    },
    state: (): Readiness => ({ started, refused: [...refusals.keys()] }),
  };
}
