/** Characters shown: enough for owners to recognise their secret, too few to reveal it. */
const shown = 6;

/** Shortens a secret for logs and lists. */
export function shortened(secret: unknown): string {
  const whole = String(secret);
  return `${whole.slice(0, Math.min(shown, whole.length / 2))}…`;
}
