import type { Change } from '#src/alert/alert.ts';
import type { Detector } from '#src/detectors/detector.ts';
import { plainReader, say } from '#src/language/say.ts';

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

/** Summarizes the changes of each step: `firing critical`, several in their order, or `` if there are none. */
export const brief = (changes: readonly (readonly Change[])[]): string[] =>
  changes.map((changes) => changes.map(({ status, severity }) => `${status} ${severity}`).join(', '));

/** Returns the texts of a change as a reader in English and UTC sees them. */
export const said = ({ annotations }: Change) => ({
  title: say(annotations.title, plainReader),
  summary: say(annotations.summary, plainReader),
  facts: annotations.facts.map(({ name, value }) => ({
    name: say(name, plainReader),
    value: say(value, plainReader),
  })),
});
