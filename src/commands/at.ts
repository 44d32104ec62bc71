import { z } from 'zod';
import { msg } from '../language/text.ts';
import { defineCommand } from '../shell/command.ts';
import { typedWords } from '../shell/parse.ts';

export default defineCommand({
  name: 'at',
  description: msg('For the operator: run a command for a place where nobody can type'),
  takes: 'operate',
  // Everything that is typed after the place is the line to run, whatever it contains.
  shorthand(words) {
    const [place, ...rest] = words;
    return place === undefined || place.key !== undefined || rest.length === 0
      ? words
      : [place, { key: 'line', text: typedWords(rest) }];
  },
  input: z.object({
    place: z.string().max(2_000).describe('Its address, e.g. https://example.com/hook'),
    line: z.string().max(2_000).describe('The command, e.g. subscribe funding'),
  }),
  run: ({ place, line }, { runElsewhere: elsewhere }) => elsewhere(place, line),
});
