import type { DeliveryFailure } from '#src/language/errors.ts';
import type { NotifierPorts } from '#src/platforms/ports.ts';

/** What the contract suite needs to know about a notifier; default export of `<name>.fixture.ts`. */
export interface NotifierFixture {
  /** The platform's options as written in the configuration. */
  readonly options: unknown;
  /** False if the platform accepts the same post twice (Telegram), so that it can only be logged as possibly doubled. */
  readonly idempotent?: boolean;
  /** Whether posts are HTTP requests, each of which may first have to open a connection. */
  readonly overHttp?: boolean;
  /** Texts that no error may contain. */
  readonly secrets: readonly string[];
  /** Addresses that the schema must refuse, besides the garbage that every schema is given. */
  readonly refused: readonly unknown[];
  /** Addresses and how they are shown: without anything that lets a reader post or read there. */
  readonly shown: readonly (readonly [
    address: Record<string, string | number>,
    shown: Record<string, string | number>,
  ])[];
  /** Opens a place on loopback where posts arrive. */
  open(): Promise<{
    readonly ports: Partial<NotifierPorts>;
    readonly address: Record<string, string | number>;
    /** The posts that have arrived, oldest first, as text. */
    readonly received: () => readonly string[];
    close(): Promise<void>;
  }>;
  /** Ways in which sending fails: `arrange` returns the ports and the address for it. */
  readonly failures: readonly {
    readonly name: string;
    readonly expected: DeliveryFailure | { readonly kind: DeliveryFailure['kind'] };
    arrange(): Promise<{
      readonly ports: Partial<NotifierPorts>;
      readonly address: Record<string, string | number>;
      close(): Promise<void>;
    }>;
  }[];
}
