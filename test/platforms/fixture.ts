import type { DeliveryFailure } from '#src/language/errors.ts';
import type { NotifierPorts } from '#src/platforms/ports.ts';

/** What the contract suite needs to know of one notifier: default export of `<name>.fixture.ts`. */
export interface NotifierFixture {
  /** As written in the configuration. */
  readonly options: unknown;
  /** False where the platform takes the same post twice (Telegram): it can only be logged as possibly doubled. */
  readonly idempotent?: boolean;
  /** Words that no error may contain. */
  readonly secrets: readonly string[];
  /** Addresses the schema must refuse, beside the garbage every schema is given. */
  readonly refused: readonly unknown[];
  /** Addresses, and as they are shown: without what lets whoever reads it post there or read along. */
  readonly shown: readonly (readonly [
    address: Record<string, string | number>,
    shown: Record<string, string | number>,
  ])[];
  /** A place on loopback where posts arrive. */
  open(): Promise<{
    readonly ports: Partial<NotifierPorts>;
    readonly address: Record<string, string | number>;
    /** What has arrived, oldest first, as text. */
    readonly received: () => readonly string[];
    close(): Promise<void>;
  }>;
  /** Ways a send fails: `arrange` gives the ports and the address at which it does. */
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
