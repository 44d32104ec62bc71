import type { z } from 'zod';
import type { Change } from '#src/alert/alert.ts';
import type { DataClient } from '#src/contract/data-client.ts';
import type { EndpointName } from '#src/contract/index.ts';
import type { Detector } from '#src/detectors/detector.ts';
import { plainReader, say } from '#src/language/say.ts';
import { start } from '#test/support/alerts.ts';
import { answers, dataClient } from '#test/support/data.ts';

/** Runs a detector over observations. Returns the changes of each step, and the last state. */
export function drive<Observation>(
  detector: Pick<Detector, 'options' | 'step'>,
  options: Record<string, unknown>,
  steps: readonly (readonly [now: number, observation: Observation])[],
): { changes: (readonly Change[])[]; state: unknown } {
  const parsed = detector.options.parse(options);
  let state: unknown;
  const changes = steps.map(([now, observation]) => {
    const stepped = detector.step(state, observation, { options: parsed, now });
    state = stepped.state;
    return stepped.changes;
  });
  return { changes, state };
}

type Looks = readonly (readonly Change[])[];

const signs = { firing: '+', updated: '~', resolved: '-' } as const;

/**
 * Writes what each look brings: `+warning` for an alert that begins, `~critical` for one that changes, `-critical` for one that
 * ends, a dot for nothing. What one look brings stands together.
 */
export const looks = (changes: Looks): string[] =>
  changes.map((all) => all.map(({ status, severity }) => `${signs[status]}${severity}`).join('') || '.');
export const brief = (changes: Looks): string => looks(changes).join(' ');
/** Leaves out the looks that bring nothing. */
export const told = (changes: Looks): string =>
  looks(changes)
    .filter((each) => each !== '.')
    .join(' ');

/** Returns the texts of the first change with this status. */
export const saidOf = (changes: Looks, status: Change['status'] = 'firing') => {
  const found = changes.flat().find((change) => change.status === status);
  return found && said(found);
};

interface Asking {
  readonly options?: object;
  readonly state?: unknown;
  readonly symbols?: readonly string[];
  readonly named?: readonly string[];
  readonly now?: number;
}

/** Asks as a detector does in a look, by default its first one, at `start`. */
export const observe = <Observation>(
  detector: Pick<Detector<z.ZodType, z.ZodType, Observation>, 'options' | 'observe'>,
  data: DataClient,
  { options = {}, state, symbols = [], now = start, ...given }: Asking = {},
): Promise<Observation> => {
  const { signal } = new AbortController();
  return detector.observe({
    data,
    options: detector.options.parse(options),
    state,
    symbols,
    now,
    signal,
    ...given,
  });
};

/** Returns a client and what it is asked at one endpoint, which answers as it does in all tests or by `answer`. */
export function asking(
  name: EndpointName,
  answer: (query: { readonly symbol?: string; readonly currency?: string }) => unknown = () => answers[name],
) {
  const asked: { readonly symbol?: string }[] = [];
  const one = async (query: { readonly symbol?: string } = {}) => {
    asked.push(query);
    return answer(query);
  };
  return { asked, data: { ...dataClient(), [name]: one } as DataClient };
}

/** Returns the texts of a change as a reader in English and UTC sees them. */
export const said = ({ annotations }: Change) => ({
  title: say(annotations.title, plainReader),
  summary: say(annotations.summary, plainReader),
  facts: annotations.facts.map(({ name, value }) => ({
    name: say(name, plainReader),
    value: say(value, plainReader),
  })),
});
