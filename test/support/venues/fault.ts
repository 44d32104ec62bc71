/**
 * A fault to inject into a response, for testing clients against failing exchanges. On a WebSocket `answer` refuses the
 * upgrade, `hang` accepts the connection and sends nothing, `reset` closes it, and `rewrite` changes every message.
 */
export type Fault =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  | { readonly kind: 'hang' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'rewrite'; readonly rewrite: (body: string) => string };
