/**
 * What may be done to an answer, so that clients can be tried against exchanges that fail. On a socket `answer`
 * refuses the upgrade, `hang` accepts and stays silent, `reset` cuts, `rewrite` changes every message.
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
