import type { Receiver } from '../../../alert/subscription.ts';
import type { Text } from '../../../language/text.ts';
import type { SignIn } from '../../notifier.ts';

/** A member who signed in. Times are wall ms. */
export interface MemberSession {
  /** Identifies the session. */
  readonly proof: string;
  readonly person: string;
  readonly name: string;
  /** When the browser got its present secret. */
  readonly renewedAt: number;
}

/** A platform by which people can sign in now. */
interface SignInWay {
  readonly platform: string;
  readonly title: Text;
  readonly signIn: SignIn;
}

/** What the page is given for people who sign in by a platform. */
export interface PageMembers {
  ways(): readonly SignInWay[];
  /** Returns the place that the text names, and the reverse: `telegram:-1001234567890`. */
  readPlace(text: string): Receiver | undefined;
  writePlace(receiver: Receiver): string;
  /** Whether the bot has something for a place. */
  has(receiver: Receiver): Promise<boolean>;
  /** Returns places of the platform where the person is likely to be. */
  likely(platform: string, person: string): Promise<readonly Receiver[]>;
  readonly sessions: {
    /** Returns false if the proof has begun a session before. Only hashes of secrets are given. */
    begin(session: MemberSession & { readonly digest: string; readonly until: number }): Promise<boolean>;
    /** Finds a session by its secret, or by the one before, for requests that were on their way. */
    find(digest: string, now: number): Promise<MemberSession | undefined>;
    lasts(proof: string, now: number): Promise<boolean>;
    renew(digest: string, given: { readonly next: string; readonly at: number }): Promise<boolean>;
    end(proof: string, at: number): Promise<void>;
  };
}
