import type { Guard } from '../database/guard.ts';
import type { Text } from '../language/text.ts';
import type { Readiness } from '../platforms/web/ports.ts';

/** What platforms report about their tokens. */
export interface TokenReports {
  /** Returns whether the platform had accepted its token before. */
  refused(platform: string, reason: Text): boolean;
  /** Returns whether the platform had refused its token before. */
  accepted(platform: string): boolean;
}

/** Tracks whether the bot has started, can store what happens, and which platforms refuse their token. */
export function createReadiness(database: Pick<Guard, 'problem'>) {
  const refusals = new Map<string, Text>();
  let started = false;
  const tokens: TokenReports = {
    refused(platform, reason) {
      const isNew = !refusals.has(platform);
      refusals.set(platform, reason);
      return isNew;
    },
    accepted: (platform) => refusals.delete(platform),
  };
  return {
    /** Platforms that do not accept their token, with the reason that they gave. */
    refusals: refusals as ReadonlyMap<string, Text>,
    tokens,
    /** Called when the bot watches the market. */
    markStarted() {
      started = true;
    },
    state(): Readiness {
      const databaseProblem = database.problem();
      const refusedPlatforms = [...refusals.keys()];
      return { started, refusedPlatforms, ...(databaseProblem !== null && { databaseProblem }) };
    },
  };
}
