import type { Text } from '../language/text.ts';
import { minute, second } from '../runtime/units.ts';
import type { NotifierPorts } from './ports.ts';

/** Why, and for how long (ms), no request is sent with a token. */
export interface TokenRefusal {
  readonly reason: Text;
  readonly retryAfter: number;
}

/**
 * Holds requests while a platform refuses the token. A refusal may pass (an incident there, a proxy in between), so every few
 * minutes one request is sent all the same: no answer is a verdict for good.
 */
export interface TokenHold {
  /** Returns undefined if a request may be sent, and is to be called right before it is: it may be the one that asks again. */
  held(): TokenRefusal | undefined;
  refused(reason: Text): TokenRefusal;
  /** Records an answer that the platform gives only to a token that it accepts. */
  accepted(): void;
}

/** Pauses between two refusals and the next request, ms. */
const pauses = { first: minute, longest: 5 * minute } as const;
/** How long the answer to the request that asks again is waited for, ms. */
const answerTime = 10 * second;

export type TokenPorts = Pick<NotifierPorts, 'steady' | 'reportTokenRefused' | 'reportTokenAccepted'>;

export function createTokenHold({
  steady: clock,
  reportTokenRefused,
  reportTokenAccepted,
}: TokenPorts): TokenHold {
  let hold: { readonly reason: Text; readonly pause: number; until: number; isAsking: boolean } | undefined;
  const heldBy = ({ reason, until }: NonNullable<typeof hold>, now: number): TokenRefusal => ({
    reason,
    retryAfter: Math.max(second, Math.round(until - now)),
  });
  return {
    held() {
      if (hold === undefined) return undefined;
      const now = clock.now();
      if (now < hold.until) return heldBy(hold, now);
      hold.isAsking = true;
      hold.until = now + answerTime;
      return undefined;
    },
    refused(reason) {
      const now = clock.now();
      if (hold === undefined) reportTokenRefused(reason);
      // Requests that were on their way at the first refusal are refused as well, and say nothing new.
      if (hold === undefined || hold.isAsking) {
        const pause = hold === undefined ? pauses.first : Math.min(hold.pause * 2, pauses.longest);
        hold = { reason, pause, until: now + pause, isAsking: false };
      }
      return heldBy(hold, now);
    },
    accepted() {
      if (hold === undefined) return;
      hold = undefined;
      reportTokenAccepted();
    },
  };
}
