/** A catalogue as its file has it. */
export interface Raw {
  readonly [key: string]: string | Raw;
}

/** What a catalogue should have beside what it has. */
export interface Completed {
  readonly catalogue: Raw;
  /** Paths of what is not translated, sorted: `messages.Alert`. */
  readonly missing: readonly string[];
  /** Paths of what nobody says, sorted. */
  readonly unused: readonly string[];
}

/**
 * The catalogue with each wanted key that it lacks, empty, and all of its keys sorted.
 * @param wanted lists of a catalogue → all keys that it may have; of a list that is not here it may have any
 */
export function complete(given: Raw, wanted: Wanted): Completed {
  const missing: string[] = [];
  const unused: string[] = [];
  const within = (raw: Raw, may: Wanted, path: string): Raw => {
    const all = { ...raw };
    for (const [name, keys] of Object.entries(may)) {
      const own = all[name] ?? {};
      if (typeof own === 'string') continue;
      if (!isList(keys)) {
        all[name] = within(own, keys, `${path}${name}.`);
        continue;
      }
      missing.push(...keys.filter((key) => (own[key] ?? '') === '').map((key) => `${path}${name}.${key}`));
      unused.push(
        ...Object.keys(own)
          .filter((key) => !keys.includes(key))
          .map((key) => `${path}${name}.${key}`),
      );
      all[name] = { ...Object.fromEntries(keys.map((key) => [key, ''])), ...own };
    }
    return all;
  };
  const catalogue = sorted(within(given, wanted, ''));
  return { catalogue, missing: missing.sort(), unused: unused.sort() };
}

export interface Wanted {
  readonly [list: string]: readonly string[] | Wanted;
}
const isList = (wanted: readonly string[] | Wanted): wanted is readonly string[] => Array.isArray(wanted);

/** As text that differs only where something is said otherwise. */
export const written = (catalogue: Raw): string => `${JSON.stringify(sorted(catalogue), null, 2)}\n`;

const sorted = (raw: Raw): Raw =>
  Object.fromEntries(
    Object.entries(raw)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => [key, typeof value === 'string' ? value : sorted(value)]),
  );
