// Half of what npm installs is for those who build the libraries, or on them: the headers and the manual of Node.js, ECharts’
// sources and its dozen builds of which src/chart/draw.ts loads one, source maps, tests and manuals; and types, where no
// compiler is installed to read them. It goes once npm is done: measured by `npm run bench -- weight`. Licences stay. Runs on
// any Node.js that npm has.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const modules = fileURLToPath(new URL('../../node_modules/', import.meta.url));

/** Paths below node_modules of what goes; those of folders end with a slash. */
const gone = [
  /^node-[^/]+\/(include\/|share\/|CHANGELOG\.md|README\.md)$/,
  /^echarts\/(?!(dist|licenses|types)\/$|index\.d\.ts$|LICENSE$|NOTICE$|package\.json$)[^/]+\/?$/,
  /^echarts\/dist\/(?!echarts\.esm\.min\.mjs$|package\.json$)[^/]+\/?$/,
  /^echarts\/types\/src\/$/,
  // What is loaded of it, and its types, stand in ECharts’ own files.
  /^zrender\/(?!LICENSE$|package\.json$)[^/]+\/?$/,
  /^zod\/src\/$/,
  // Pages of its own tools: of a browser only what is asked of it is used.
  /^playwright-core\/lib\/vite\/$/,
  /\.map$/,
  // Not the types of node:test.
  /^(?!@types\/).*\/(tests?|docs|examples?|benchmarks?)\/$/,
  ...(existsSync(`${modules}typescript`) ? [] : [/\.[cm]?ts$/]),
];

function trim(folder) {
  for (const entry of readdirSync(modules + folder, { withFileTypes: true })) {
    const path = folder + entry.name + (entry.isDirectory() ? '/' : '');
    if (gone.some((each) => each.test(path))) rmSync(modules + path, { recursive: true });
    else if (entry.isDirectory()) trim(path);
  }
}
if (existsSync(modules)) trim('');
