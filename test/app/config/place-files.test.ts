import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fillVariables, readPlaceFiles } from '#src/app/config/place-files.ts';
import { ownFolder } from '#test/support/folder.ts';

const variable = (name: string) => `$\{${name}}`;

it('every YAML file of the folder is read, sorted by name, and nothing else', async () => {
  const folder = await ownFolder();
  for (const name of ['b.yaml', 'a.yml', 'notes.txt', '.hidden.yaml', '..data'])
    writeFileSync(join(folder, name), `# ${name}`);
  mkdirSync(join(folder, 'more'));
  expect(Object.entries((await readPlaceFiles(folder, {})).texts)).toEqual([
    ['a.yml', '# a.yml'],
    ['b.yaml', '# b.yaml'],
  ]);
});

it('variables in files come from the environment or a secret’s file, and are never printed', async () => {
  const folder = await ownFolder();
  writeFileSync(join(folder, 'secret'), 'from-a-file\n');
  writeFileSync(
    join(folder, 'a.yaml'),
    [
      variable('TOCSIN_PLACE_ONE'),
      variable('TOCSIN_PLACE_TWO'),
      variable('TOCSIN_PLACE_THREE'),
      variable('HOME'),
    ].join(' '),
  );
  const files = await readPlaceFiles(folder, {
    TOCSIN_PLACE_ONE: 'from-here',
    TOCSIN_PLACE_TWO_FILE: join(folder, 'secret'),
    HOME: '/root',
  });
  expect(JSON.stringify(files.variables)).toBe(
    '{"TOCSIN_PLACE_ONE":"[secret]","TOCSIN_PLACE_TWO":"[secret]"}',
  );
  expect(fillVariables(`${variable('TOCSIN_PLACE_ONE')}/${variable('TOCSIN_PLACE_TWO')}`, files)).toBe(
    'from-here/from-a-file',
  );
  expect(() => fillVariables(variable('TOCSIN_PLACE_THREE'), files)).toThrow(
    'the variable TOCSIN_PLACE_THREE is not set',
  );
  expect(() => fillVariables(variable('HOME'), files)).toThrow('the variable HOME cannot be used');
});

it('a folder that is missing or has no files, e.g. an unmounted volume, is refused', async () => {
  const folder = await ownFolder();
  await expect(readPlaceFiles(join(folder, 'nowhere'), {})).rejects.toThrow(
    /^places \(TOCSIN_PLACES\): .*cannot be read/,
  );
  await expect(readPlaceFiles(folder, {})).rejects.toThrow(
    /^places \(TOCSIN_PLACES\): no \.yaml file is in /,
  );
});

it.each<[string, (path: string) => void, RegExp]>([
  ['a pipe', (path) => execFileSync('mkfifo', [path]), /^this is no ordinary file: take it away/],
  ['a device', (path) => symlinkSync('/dev/zero', path), /^this is no ordinary file: take it away/],
  ['a folder', (path) => mkdirSync(path), /^this is a folder: take it away/],
  ['a link that leads nowhere', (path) => symlinkSync('nowhere', path), /^this file cannot be read/],
  ['a link to itself', (path) => symlinkSync(path, path), /^this file cannot be read/],
  [
    'a file that is far too large',
    (path) => writeFileSync(path, Buffer.alloc(5 * 1024 * 1024, 35)),
    /larger than 4 MB/,
  ],
])(
  'what is no readable file is looked at before it is read, and costs that file alone: %s',
  async (_, make, expected) => {
    const folder = await ownFolder();
    writeFileSync(join(folder, 'a.yaml'), '# a');
    make(join(folder, 'b.yaml'));
    const { texts, flaws } = await readPlaceFiles(folder, {});
    expect(texts).toEqual({ 'a.yaml': '# a' });
    expect(flaws).toEqual([{ file: 'b.yaml', line: 1, column: 1, text: expect.stringMatching(expected) }]);
  },
);

it('a file that is a link to an ordinary file is read, as a mounted ConfigMap has them', async () => {
  const folder = await ownFolder();
  writeFileSync(join(folder, '.real'), '# real');
  symlinkSync('.real', join(folder, 'a.yaml'));
  expect((await readPlaceFiles(folder, {})).texts).toEqual({ 'a.yaml': '# real' });
});

const latin1 = (text: string) => Buffer.from(text, 'latin1');
it.each<[string, Buffer, string | number]>([
  ['UTF-8', Buffer.from('- at: web:é\n'), '- at: web:é\n'],
  ['UTF-8 with a byte order mark', Buffer.from('\ufeff- at: web:é\n'), '- at: web:é\n'],
  ['UTF-16 of Windows', Buffer.from('\ufeff- at: web:é\n', 'utf16le'), '- at: web:é\n'],
  ['UTF-16, the other way round', Buffer.from('\ufeff- at: web:é\n', 'utf16le').swap16(), '- at: web:é\n'],
  ['Latin-1', latin1('# a\n- at: web:é\n'), 2],
  ['UTF-16 that does not say so', Buffer.from('# a\n- at: web:main\n', 'utf16le'), 1],
  ['a NUL', Buffer.from('# a\n\n- at: web:\0\n'), 3],
  ['UTF-16 that is cut', Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x41, 0x00]), 1],
])('an encoding is read or refused with its line: %s', async (_, bytes, expected) => {
  const folder = await ownFolder();
  writeFileSync(join(folder, 'a.yaml'), bytes);
  const { texts, flaws } = await readPlaceFiles(folder, {});
  if (typeof expected === 'string') expect([texts, flaws]).toEqual([{ 'a.yaml': expected }, []]);
  else
    expect(flaws).toEqual([
      { file: 'a.yaml', line: expected, column: 1, text: expect.stringContaining('save the file as UTF-8') },
    ]);
});

it('a thousand files are read, and none of more', async () => {
  const folder = await ownFolder();
  for (let n = 0; n < 1_000; n += 1) writeFileSync(join(folder, `${n}.yaml`), '');
  expect(Object.keys((await readPlaceFiles(folder, {})).texts)).toHaveLength(1_000);
  writeFileSync(join(folder, 'one-more.yaml'), '');
  await expect(readPlaceFiles(folder, {})).rejects.toThrow('at most 1000 are read');
});

it('files of 32 MB together are read, and none of more', async () => {
  const folder = await ownFolder();
  const largest = '#'.repeat(4 * 1024 * 1024);
  for (let n = 0; n < 8; n += 1) writeFileSync(join(folder, `${n}.yaml`), largest);
  expect(Object.keys((await readPlaceFiles(folder, {})).texts)).toHaveLength(8);
  writeFileSync(join(folder, 'one-more.yaml'), '#');
  await expect(readPlaceFiles(folder, {})).rejects.toThrow('more than 32 MB');
});
