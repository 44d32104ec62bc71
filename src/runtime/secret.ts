import { inspect } from 'node:util';
import { z } from 'zod';

/** Forms of every secret made in this process, longest first. Anything shorter would blot out common text. */
let forms: string[] = [];
const shortest = 6;

/** A token that prints as `[secret]` wherever it is logged, serialised or inspected. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
    const written = [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)];
    forms = [...new Set([...forms, ...written.filter((form) => form.length >= shortest)])].sort(
      (a, b) => b.length - a.length,
    );
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

/** What stands before the host of a URL: a user and a password, in which any mark may stand as it is, or a token. */
const credentials = /(?<=[a-z][a-z0-9+.-]*:\/\/)(?:[^\s/?#"'<>@:]*:[^\s"'<>]+|[^\s/?#"'<>]+)(?=@)/gi;

/** The text without any secret there is, also where a library has put one into a URL or a message. */
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
