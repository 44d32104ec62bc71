import { z } from 'zod';
import type { Platform } from '../../platforms/platform.ts';

/** Schema of a list without repeated entries: of two alike, one is a mistake for something else. */
export const distinct = <Entry extends z.ZodType<string, string>>(entry: Entry) =>
  z.array(entry).superRefine((list, { addIssue }) => {
    for (const [index, each] of list.entries())
      if (list.indexOf(each) < index)
        addIssue({ code: 'custom', path: [index], message: 'it is in the list already: leave it out' });
  });

/** Schema of a person, as one of these platforms names them. */
export const personSchema = (platforms: readonly Pick<Platform, 'person'>[]) => {
  const persons = platforms.flatMap(({ person }) => person ?? []);
  const give = `give one of ${persons.map(({ example }) => example).join(', ')}`;
  return z.string(give).refine((text) => persons.some(({ pattern }) => pattern.test(text)), give);
};
