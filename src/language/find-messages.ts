/**
 * A message in the sources, with its key in the catalogues: `message`, or `context|message`. It is found in the text of
 * the sources, so that tests can compare the catalogues with the sources, and the page gets the messages that it uses.
 */
export interface SourceMessage {
  /** The call in the source, as far as it was read. */
  readonly call: string;
  /** Absent if the message is not a literal. */
  readonly key?: string;
}

/** Matches calls of `msg`, and of `msgIn` with a context of one word. */
const msgCall = /\bmsg(?:In\(\s*(?:'(\w+)',)?|\()\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`([^`$]*)`)?/g;

export const findMessages = (source: string): SourceMessage[] =>
  [...source.matchAll(msgCall)].map(([call, context, single, double, template]) => {
    const message = (single ?? double ?? template)?.replaceAll(/\\(['"`\\])/g, '$1').replaceAll('\\n', '\n');
    return message === undefined
      ? { call }
      : { call, key: context === undefined ? message : `${context}|${message}` };
  });
