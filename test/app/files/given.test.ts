import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { filledIn, readPlaceFiles } from '#src/app/files/given.ts';
import { ownFolder } from '#test/support/folder.ts';

const variable = (name: string) => `$\{${name}}`;

it('every YAML file of the folder is taken, in the order of their names, and nothing else of it', async () => {
  const folder = await ownFolder();
  for (const name of ['b.yaml', 'a.yml', 'notes.txt', '.hidden.yaml', '..data'])
    writeFileSync(join(folder, name), `# ${name}`);
  mkdirSync(join(folder, 'more'));
  expect(Object.entries(readPlaceFiles(folder, {}).texts)).toEqual([
    ['a.yml', '# a.yml'],
    ['b.yaml', '# b.yaml'],
  ]);
});

it('what they name stands in the environment or a secret’s file, and is printed nowhere', async () => {
  const folder = await ownFolder();
  writeFileSync(join(folder, 'secret'), 'from-a-file\n');
  writeFileSync(join(folder, 'a.yaml'), [variable('ONE'), variable('TWO'), variable('THREE')].join(' '));
  const files = readPlaceFiles(folder, { ONE: 'from-here', TWO_FILE: join(folder, 'secret') });
  expect(JSON.stringify(files.variables)).toBe('{"ONE":"[secret]","TWO":"[secret]"}');
  expect(filledIn(`${variable('ONE')}/${variable('TWO')}`, files)).toBe('from-here/from-a-file');
  expect(() => filledIn(variable('THREE'), files)).toThrow('the variable THREE is not set');
});

it('a folder that is not there, or holds none, as a volume that is not mounted, is refused', async () => {
  const folder = await ownFolder();
  expect(() => readPlaceFiles(join(folder, 'nowhere'), {})).toThrow(
    /^places \(TOCSIN_PLACES\): .*cannot be read/,
  );
  expect(() => readPlaceFiles(folder, {})).toThrow(/^places \(TOCSIN_PLACES\): no \.yaml file is in /);
});
