import { aliasesOf } from '../../language/languages.ts';
import { readNumber } from '../../language/typed-number.ts';
import { isMetric } from '../../rules/metrics.ts';
import type { Word } from '../../shell/parse.ts';

const aboveWords = new Set(['>', '>=', 'above', 'over', ...aliasesOf('above')]);
const belowWords = new Set(['<', '<=', 'below', 'under', ...aliasesOf('below')]);

/** Words that people put around these, which say nothing more. */
const fillers = new Set(
  'me us when if is goes gets cross crosses crossing hits reaches touches at to please'.split(' '),
);
const risesWords = new Set('rises gains climbs pumps up moves'.split(' '));
const fallsWords = new Set('falls drops loses dumps down'.split(' '));
const isTrend = (text: string): boolean => risesWords.has(text) || fallsWords.has(text);

const sideOf = (operator = ''): 'above' | 'below' | 'level' =>
  operator === '' ? 'level' : aboveWords.has(operator.toLowerCase()) ? 'above' : 'below';

/** Returns the words that preview what such words would create; undefined if they are of another form. */
export function previewedLevel(words: readonly Word[]): readonly Word[] | undefined {
  const meant = parseLevelShorthand(words);
  return meant === words ? undefined : [{ text: 'new' }, ...meant.slice(1)];
}

/**
 * Reads `btc > 25000`, `btc 25000` or `btc funding.z>2 once` as inputs that create an alert: a market, a metric (default: the
 * price) and a level. Words of another form are returned unchanged.
 */
export function parseLevelShorthand(words: readonly Word[]): readonly Word[] {
  const bare = words.filter(({ key }) => key === undefined).map(({ text }) => text);
  const rest = bare[0]?.toLowerCase() === 'create' ? bare.slice(1) : bare;
  // Text with a space was in quotation marks, so it is a condition.
  const typed = rest.flatMap((text) => (/\s/.test(text) ? [text] : text.split(/([<>]=?)/).filter(Boolean)));
  const parts = typed.filter((text) => !fillers.has(text.toLowerCase()) && !isTrend(text.toLowerCase()));
  const operatorIndex = parts.findIndex(
    (text) => aboveWords.has(text.toLowerCase()) || belowWords.has(text.toLowerCase()),
  );
  // Without a side the level is the first number.
  const levelIndex =
    operatorIndex < 0 ? parts.findIndex((text) => readNumber(text) !== undefined) : operatorIndex + 1;
  const [level = '', ...more] = levelIndex < 0 ? [] : parts.slice(levelIndex);
  const about = parts.slice(0, Math.max(0, operatorIndex < 0 ? levelIndex : operatorIndex));
  const [market, ...others] = about.filter((text) => !isMetric(text));
  if (market === undefined || others.length > 0 || about.length > 2 || readNumber(level) === undefined)
    return words;
  const metric = about.find(isMetric);
  const side = sideOf(parts[operatorIndex]);
  const isChange = metric === undefined && level.endsWith('%');
  const moved = isChange ? changeOf(level, side === 'level' ? typed : [side]) : undefined;
  // `btc 5%` says neither a price nor which way.
  if (isChange && moved === undefined) return words;
  return [
    { text: 'create' },
    { key: 'metric', text: metric ?? (isChange ? 'price.change24hPct' : 'price.last') },
    moved ?? { key: side, text: level },
    { key: 'symbols', text: market },
    ...more.map((text) => ({ text })),
    ...words.filter(({ key }) => key !== undefined),
  ];
}

/** Returns the change of a price that words mean: `btc -5%`, `btc drops 5%`; undefined if they do not say which way. */
function changeOf(level: string, words: readonly string[]): Word | undefined {
  const size = level.replace(/[%+−-]/g, '');
  const said = words.map((word) => word.toLowerCase());
  const falls = /^[−-]/.test(level) || said.some((word) => fallsWords.has(word));
  if (said.includes('above') || said.includes('below'))
    return { key: said.includes('above') ? 'above' : 'below', text: falls ? `-${size}` : size };
  if (!falls && !level.startsWith('+') && !said.some((word) => risesWords.has(word))) return undefined;
  return falls ? { key: 'below', text: `-${size}` } : { key: 'above', text: size };
}
