/** A response of the Bot API with `ok: false`. */
export class Refusal extends Error {
  override readonly name: string = 'Refusal';
  readonly code: number;
  readonly description: string;
  readonly parameters: Readonly<Record<string, number>> | undefined;

  constructor(code: number, description: string, parameters?: Readonly<Record<string, number>>) {
    super(description);
    this.code = code;
    this.description = description;
    this.parameters = parameters;
  }
}

export class BadRequest extends Refusal {
  constructor(description: string) {
    super(400, `Bad Request: ${description}`);
  }
}

export class Forbidden extends Refusal {
  constructor(description: string) {
    super(403, `Forbidden: ${description}`);
  }
}

export class Conflict extends Refusal {
  constructor(description: string) {
    super(409, `Conflict: ${description}`);
  }
}

export class Migrated extends Refusal {
  constructor(to: number) {
    super(400, 'Bad Request: group chat was upgraded to a supergroup chat', { migrate_to_chat_id: to });
  }
}

/** Returns a 429. @param wait ms */
export const tooMany = (wait: number): Refusal => {
  const seconds = Math.max(1, Math.ceil(wait / 1_000));
  return new Refusal(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds });
};

export const unauthorized = (): Refusal => new Refusal(401, 'Unauthorized');
