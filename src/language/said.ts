/**
 * What sources say in words, as the catalogues have it: `message`, or `context|message`. Read from their text, so that
 * a catalogue can be held against them, and the page be given its own.
 */
export interface Said {
  /** As it stands there, as far as it was read. */
  readonly call: string;
  /** Absent where it is not written out. */
  readonly key?: string;
}

/** Of `msg` and of `msgIn`, whose context is a word. */
const calls = /\bmsg(?:In\(\s*(?:'(\w+)',)?|\()\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`([^`$]*)`)?/g;

export const saidIn = (source: string): Said[] =>
  [...source.matchAll(calls)].map(([call, context, single, double, template]) => {
    const message = (single ?? double ?? template)?.replaceAll(/\\(['"`\\])/g, '$1').replaceAll('\\n', '\n');
    return message === undefined
      ? { call }
      : { call, key: context === undefined ? message : `${context}|${message}` };
  });
