// Loaded before the program (`--import`), in every thread, and hence plain JavaScript: stripping the types of some 300
// files costs each thread half a second and 25 MB at every start, so what was stripped is kept. Measured by
// `npm run bench -- idle start`. Where the folder cannot be written nothing is kept, and nothing else happens.
import { mkdirSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import './old-node.js';

// glibc gives threads that allocate heaps of their own, up to 8 for each core, and what is freed in one the others cannot use:
// with the threads of npm start that is some 80 MB of its most. Two are enough, which glibc must be told before it begins, so
// the program takes its own place once, as the same process. Other systems' allocators know no such setting, and a
// channel to whoever forked it would be lost.
const { env, execArgv, execPath, argv, platform } = process;
if (platform === 'linux' && isMainThread && env.MALLOC_ARENA_MAX === undefined && !process.connected)
  process.execve(execPath, [execPath, ...execArgv, ...argv.slice(1)], { ...env, MALLOC_ARENA_MAX: '2' });

const data = fileURLToPath(new URL('../data', import.meta.url));
try {
  // The databases' folder: whoever comes first makes it its owner's alone.
  mkdirSync(data, { recursive: true, mode: 0o700 });
} catch {}
// Not by its name: of an old Node.js that has none, the import itself would fail.
module.enableCompileCache(join(data, 'compile-cache'));
