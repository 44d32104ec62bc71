import type { Part, Pattern } from '../platforms/web/pattern.ts';

export type FillValues = Readonly<Record<string, string | number>>;

/** Fills an ICU pattern with values. A missing value is shown as `{name}`. */
export function fill(
  pattern: Pattern,
  {
    values,
    locale,
    pluralNumber = 0,
  }: { readonly values: FillValues; readonly locale: string; readonly pluralNumber?: number | undefined },
): string {
  const inDigits = (value: number) => new Intl.NumberFormat(locale).format(value);
  const fillPart = (part: Part): string => {
    if ('hash' in part) return inDigits(pluralNumber);
    if ('value' in part) return String(values[part.value] ?? `{${part.value}}`);
    if ('number' in part) return inDigits(Number(values[part.number]));
    if ('select' in part) {
      const { [String(values[part.select])]: chosen = part.of.other ?? [] } = part.of;
      return fill(chosen, { values, locale, pluralNumber });
    }
    const { plural, offset, type, of } = part;
    const value = Number(values[plural]);
    const rule = new Intl.PluralRules(locale, { type }).select(value - offset);
    return fill(of[`=${value}`] ?? of[rule] ?? of.other ?? [], {
      values,
      locale,
      pluralNumber: value - offset,
    });
  };
  return pattern.map((part) => (typeof part === 'string' ? part : fillPart(part))).join('');
}
