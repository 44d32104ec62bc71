import { UserError } from '../../language/errors.ts';
import { msg, typed } from '../../language/text.ts';
import { openSheet } from '../../shell/sheet.ts';

/** Characters of a text whose mistake is looked for: to find it takes much longer than to read the text. */
const maxSearched = 20_000;

/** What an id without quotation marks looks like that is larger than the exact numbers. */
const longId = /[:[,]\s*-?\d{16,}/;

/** Returns the value of a text in JSON or YAML. Throws UserError that names the line. */
export function importedValue(given: string): unknown {
  const text = given.replace(/^\ufeff/, '');
  try {
    return longId.test(text) ? JSON.parse(text, exactId) : JSON.parse(text);
  } catch (cause) {
    const sheet = sheetOf(text);
    const value = sheet !== undefined && 'value' in sheet ? sheet.value : undefined;
    if (Array.isArray(value))
      throw new UserError(
        msg('That is a file for the folder of places: for a chat send what "{export}" gives.', {
          export: typed('export'),
        }),
        { cause },
      );
    if (typeof value === 'object' && value !== null) return value;
    throw new UserError(
      sheet === undefined
        ? msg('That is not valid JSON: send the file that "{export}" gave, or all of its text.', {
            export: typed('export'),
          })
        : msg(
            'That is not valid JSON (line {line}): send the file that "{export}" gave, or all of its text.',
            {
              export: typed('export'),
              line: String('value' in sheet ? 1 : (sheet[0]?.line ?? 1)),
            },
          ),
      { cause },
    );
  }
}

/** Undefined if the text is too large, or nested too deeply, to be looked through. */
function sheetOf(text: string): ReturnType<typeof openSheet> | undefined {
  if (text.length > maxSearched) return undefined;
  try {
    return openSheet('', text);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Reviver of JSON.parse that keeps the digits of such an id. */
function exactId(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value);
  return isRounded && context?.source !== undefined && /^-?\d+$/.test(context.source)
    ? context.source
    : value;
}
