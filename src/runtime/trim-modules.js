// Half of what npm installs is for those who build the libraries, or on them: the headers and the manual of Node.js, ECharts’
// sources and its dozen builds of which src/chart/draw.ts loads one, source maps; and where no compiler is installed to read
// them, types, tests and manuals. It goes once npm is done: measured by `npm run bench -- weight`. Licences stay. Runs on any
// Node.js that npm has.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const modules = fileURLToPath(new URL('../../node_modules/', import.meta.url));

/** Paths below node_modules of what goes in any case. */
const never = [
  /^node-[^/]+\/(include|share|CHANGELOG\.md|README\.md)$/,
  /^echarts\/(?!(dist|licenses|types|index\.d\.ts|LICENSE|NOTICE|package\.json)$)[^/]+$/,
  /^echarts\/dist\/(?!(echarts\.esm\.min\.mjs|package\.json)$)[^/]+$/,
  /^echarts\/types\/src$/,
  // What is loaded of it, and its types, stand in ECharts’ own files.
  /^zrender\/(?!(LICENSE|package\.json)$)[^/]+$/,
  /\.map$/,
];
/** And what goes where nobody develops; the names are of folders. */
const developing = [/\.[cm]?ts$/, /\/(tests?|docs|examples?|benchmarks?)\/$/];
const gone = existsSync(`${modules}typescript`) ? never : [...never, ...developing];

function trim(folder) {
  for (const entry of readdirSync(modules + folder, { withFileTypes: true })) {
    const path = folder + entry.name;
    const names = entry.isDirectory() ? [path, `${path}/`] : [path];
    if (names.some((name) => gone.some((each) => each.test(name))))
      rmSync(modules + path, { recursive: true });
    else if (entry.isDirectory()) trim(`${path}/`);
  }
}
if (existsSync(modules)) trim('');
