import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fillVariables, readPlaceFiles } from '#src/app/files/place-files.ts';
import { ownFolder } from '#test/support/folder.ts';

const variable = (name: string) => `$\{${name}}`;

it('every YAML file of the folder is read, sorted by name, and nothing else', async () => {
  const folder = await ownFolder();
  for (const name of ['b.yaml', 'a.yml', 'notes.txt', '.hidden.yaml', '..data'])
    writeFileSync(join(folder, name), `# ${name}`);
  mkdirSync(join(folder, 'more'));
  expect(Object.entries(readPlaceFiles(folder, {}).texts)).toEqual([
    ['a.yml', '# a.yml'],
    ['b.yaml', '# b.yaml'],
  ]);
});

it('variables in files come from the environment or a secret’s file, and are never printed', async () => {
  const folder = await ownFolder();
  writeFileSync(join(folder, 'secret'), 'from-a-file\n');
  writeFileSync(join(folder, 'a.yaml'), [variable('ONE'), variable('TWO'), variable('THREE')].join(' '));
  const files = readPlaceFiles(folder, { ONE: 'from-here', TWO_FILE: join(folder, 'secret') });
  expect(JSON.stringify(files.variables)).toBe('{"ONE":"[secret]","TWO":"[secret]"}');
  expect(fillVariables(`${variable('ONE')}/${variable('TWO')}`, files)).toBe('from-here/from-a-file');
  expect(() => fillVariables(variable('THREE'), files)).toThrow('the variable THREE is not set');
});

it('a folder that is missing or has no files, e.g. an unmounted volume, is refused', async () => {
  const folder = await ownFolder();
  expect(() => readPlaceFiles(join(folder, 'nowhere'), {})).toThrow(
    /^places \(TOCSIN_PLACES\): .*cannot be read/,
  );
  expect(() => readPlaceFiles(folder, {})).toThrow(/^places \(TOCSIN_PLACES\): no \.yaml file is in /);
});
