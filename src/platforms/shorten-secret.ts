/** Characters shown: enough for owners to recognise their secret, too few to reveal it. */
const maxShown = 6;

/** Shortens a secret for logs and lists. */
export function shortenSecret(secret: unknown): string {
  const text = String(secret);
  return `${text.slice(0, Math.min(maxShown, text.length / 2))}…`;
}
