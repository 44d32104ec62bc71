/** Letters that are shown: enough to tell one's own from another, too few to read it. */
const shown = 6;

/** What is as good as a password, as logs and lists show it. */
export function shortened(secret: unknown): string {
  const whole = String(secret);
  return `${whole.slice(0, Math.min(shown, whole.length / 2))}…`;
}
