import type { WebMessage } from '#src/platforms/web/message.ts';
import { minute } from '#src/runtime/units.ts';
import { readEvents } from '#test/support/events.ts';
import type { Program } from '../measuring/program.ts';

/** Ms to wait for a preview. Long, because a busy machine replays slowly and a late preview must still be measured. */
export const patience = 9 * minute;

/** Returns the wall ms from the question to the complete answer: the first one, or the edit that replaces it. */
export async function waitFor(
  line: string,
  { site, program }: { readonly site: string; readonly program: Program },
): Promise<number> {
  const room = 'main';
  const events = await readEvents(`${site}/api/events?room=${room}`);
  try {
    const begun = performance.now();
    const response = await fetch(`${site}/api/commands`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ line, room, id: crypto.randomUUID() }),
      signal: AbortSignal.timeout(patience),
    });
    let message = (await response.json()) as WebMessage;
    const { id } = message;
    while (isPending(message) && performance.now() - begun < patience) {
      const { event, data } = await events.next();
      const next = event === 'message' ? (JSON.parse(data) as WebMessage) : message;
      if (next.id === id && next.edited) message = next;
    }
    const took = performance.now() - begun;
    const said = JSON.stringify(message.card);
    if (!said.includes('you’d have had'))
      throw new Error(`${line}: no preview: ${said.slice(0, 500)}\n${program.output().slice(-2_000)}`);
    return took;
  } finally {
    events.close();
  }
}

const isPending = ({ card }: WebMessage): boolean =>
  /Counting the last|preview is still running/.test(JSON.stringify(card));
