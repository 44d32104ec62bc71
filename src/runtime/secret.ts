import { inspect } from 'node:util';
import { z } from 'zod';

/** A token that prints as `[secret]` wherever it is logged, serialised or inspected. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The only way out: for the header or URL that needs it. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}

/** Schema of a token as given in the configuration or the environment. */
export const secret = z
  .string()
  .trim()
  .min(1)
  .transform((value) => new Secret(value))
  .meta({ description: 'a token' });
