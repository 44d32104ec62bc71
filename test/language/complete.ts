/** The content of a catalogue's file. */
export interface Raw {
  readonly [key: string]: string | Raw;
}

/** The result of comparing a catalogue with the texts that it should have. */
export interface Completed {
  readonly catalogue: Raw;
  /** Paths of untranslated texts, sorted: `messages.Alert`. */
  readonly missing: readonly string[];
  /** Paths of translations that nothing uses, sorted. */
  readonly unused: readonly string[];
}

/**
 * Adds each missing key, empty, and sorts all keys. @param wanted lists of a catalogue → all keys that the list may have; a
 * list that is not in `wanted` may have any keys
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

/** Formats a catalogue so that its text differs only where a translation differs. */
export const written = (catalogue: Raw): string => `${JSON.stringify(sorted(catalogue), null, 2)}\n`;

const sorted = (raw: Raw): Raw =>
  Object.fromEntries(
    Object.entries(raw)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => [key, typeof value === 'string' ? value : sorted(value)]),
  );
