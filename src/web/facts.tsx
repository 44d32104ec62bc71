interface PageFact {
  readonly name: string;
  readonly value: string;
  /** What the name means, said on hover and where the keyboard is. */
  readonly hint?: string | undefined;
  readonly isBad?: boolean;
}

/** In letters. A fact that is longer, or has several lines, gets its own row. */
const longFact = 60;

export function Facts({ facts, of }: { readonly facts: readonly PageFact[]; readonly of: string }) {
  if (facts.length === 0) return null;
  return (
    <dl class={of}>
      {facts.map(({ name, value, hint, isBad }, index) => {
        const isLong = value.length > longFact || value.includes('\n');
        return (
          <div key={index} class={isLong ? 'long' : isBad ? 'failure' : undefined}>
            <dt>
              {hint === undefined ? (
                name
              ) : (
                <abbr tabIndex={0} title={hint} data-hint={hint}>
                  {name}
                </abbr>
              )}
            </dt>
            <dd>{value}</dd>
          </div>
        );
      })}
    </dl>
  );
}
