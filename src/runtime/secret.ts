import { inspect } from 'node:util';
import { z } from 'zod';

/**
 * All written forms of every secret made in this process, longest first. Shorter secrets are left out: common text
 * would match them.
 */
let forms: string[] = [];
const shortest = 6;

/** A token that prints as `[secret]` wherever it is logged, serialised or inspected. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
    const written = [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value.toWellFormed())];
    forms = [...new Set([...forms, ...written.filter((form) => form.length >= shortest)])].sort(
      (a, b) => b.length - a.length,
    );
  }

  /** Returns the secret itself, for the header or URL that needs it. There is no other access to it. */
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

/** The part of a URL before the host: a user and a password, which may contain unescaped characters, or a token. */
const credentials = /(?<=[a-z][a-z0-9+.-]*:\/\/)(?:[^\s/?#"'<>@:]*:[^\s"'<>]+|[^\s/?#"'<>]+)(?=@)/gi;

/** Returns the text without any known secret or credential of a URL, also where a library has put one into a message. */
export const scrub = (text: string): string =>
  forms.reduce(
    (scrubbed, form) => scrubbed.replaceAll(form, '[secret]'),
    text.replaceAll(credentials, '[secret]'),
  );

/** Schema of a token as given in the configuration or the environment. */
export const secret = z
  .string()
  .trim()
  .min(1)
  .transform((value) => new Secret(value))
  .meta({ description: 'a token' });
