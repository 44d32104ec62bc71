import { expect, it } from 'vitest';
import { span } from '#src/language/format.ts';
import { plainReader, say } from '#src/language/say.ts';
import { wordsIn } from '#src/platforms/web/page.ts';
import { day, hour, minute, second } from '#src/runtime/lengths.ts';
import { ageIn } from '#src/web/age.ts';

it.each(['en', 'es', 'zh'] as const)('an age has the units that it has on a card: %s', (language) => {
  const { units } = wordsIn(language, []);
  for (const ms of [9 * second, 12 * minute, 5 * hour, 3 * day])
    expect(ageIn(units, ms)).toBe(say(span(ms), { ...plainReader, language }));
});
