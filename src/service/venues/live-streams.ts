import { z } from 'zod';
import type { WallClock } from '../../runtime/clock.ts';
import { second } from '../../runtime/units.ts';
import { keepStream } from '../exchanges/stream.ts';
import { changed, silent, streamFinding } from './live-remedies.ts';
import type { LiveRow } from './live-requests.ts';
import type { ContractSizes, Venue } from './venue.ts';

type Roles = Venue['roles'];
type Stream = NonNullable<Roles['quotes'] | Roles['liquidations']>;

/** Returns the streams among the roles of a venue, by name. */
export const streamsAmong = (roles: Roles): ReadonlyMap<string, Stream> =>
  new Map(
    Object.entries(roles).flatMap(([name, role]) =>
      typeof role === 'object' && 'read' in role && 'url' in role ? [[name, role as Stream]] : [],
    ),
  );

/** Listens to a stream for `time` ms, or until the signal aborts, and enters what it heard into the row. */
export async function hear(
  stream: Stream,
  given: {
    readonly row: LiveRow;
    readonly root: string;
    readonly proxy?: string | undefined;
    readonly symbols: readonly string[];
    readonly sizes: ContractSizes;
    readonly time: number;
    readonly wall: WallClock;
    readonly random: () => number;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { row, root, proxy, symbols, sizes, time, wall, random, signal } = given;
  const startedAt = wall.now();
  let messages = 0;
  const found = new Map<string, { readonly problem: string; readonly remedy: string }>();
  const find = (finding: { readonly problem: string; readonly remedy: string }) =>
    found.set(finding.problem, finding);
  const reading = {
    sizes,
    onDropped: (example: string) => void find(changed(example)),
    onUnsized: (contract: string) =>
      void find(
        changed(`the size of the contract ${contract} is not known, so its liquidations are left out`),
      ),
  };
  const ending = new AbortController();
  const waited = wall.sleep(time, signal).then(
    () => ending.abort(),
    () => ending.abort(),
  );
  await keepStream({
    url: stream.url(root),
    subscriptions: () => stream.subscribe?.(symbols) ?? [],
    ping: stream.ping,
    wall,
    random,
    proxy,
    signal: ending.signal,
    onMessage(text) {
      messages += 1;
      try {
        const events = stream.read(text, reading);
        if (events.length > 0) row.slowest ??= wall.now() - startedAt;
        row.answers += events.length;
        return events.length > 0;
      } catch (error) {
        find(changed(issueOf(error)));
        return false;
      }
    },
    onProblem: (problem) => void find(streamFinding(problem)),
  });
  await waited;
  row.findings.push(...found.values());
  // One market may have no liquidation for hours; that its stream lives is seen by any message.
  row.isQuiet = messages > 0 && 'wholeMarket' in stream && !stream.wholeMarket;
  if (found.size === 0 && !signal.aborted && row.answers === 0 && !row.isQuiet)
    row.findings.push(silent(Math.round(time / second)));
}

/** Returns what was wrong with a message. */
function issueOf(error: unknown): string {
  if (error instanceof z.ZodError) {
    const [issue] = error.issues;
    return `field "${issue?.path.join('.') ?? ''}": ${issue?.message ?? ''}`;
  }
  if (error instanceof SyntaxError) return 'a message is not JSON';
  return error instanceof Error ? error.message : String(error);
}
