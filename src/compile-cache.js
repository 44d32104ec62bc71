// Loaded before the program (`--import`) in every thread, and therefore plain JavaScript. Stripping the types of some 300
// files costs each thread half a second and 25 MB at every start, so Node.js keeps the stripped code in a cache. Measured by
// `npm run bench -- idle start`. If the folder cannot be written, nothing is cached and nothing else happens.
import { mkdirSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import './old-node.js';

// glibc gives threads that allocate memory up to 8 heaps ("arenas") per core, and memory that is freed in one arena cannot be
// used by threads of another. With the threads of `npm start` this adds some 80 MB to the peak. Two arenas are enough. glibc
// reads the setting when the process begins, so the program replaces itself once, in the same process. Other systems'
// allocators have no such setting. A process with an IPC channel to its parent is not replaced: the channel would be lost.
const { env, execArgv, execPath, argv, platform } = process;
if (platform === 'linux' && isMainThread && env.MALLOC_ARENA_MAX === undefined && !process.connected)
  process.execve(execPath, [execPath, ...execArgv, ...argv.slice(1)], { ...env, MALLOC_ARENA_MAX: '2' });

const data = fileURLToPath(new URL('../data', import.meta.url));
try {
  // This is also the folder of the databases. Whichever code creates the folder first makes it accessible to its owner only.
  mkdirSync(data, { recursive: true, mode: 0o700 });
} catch {}
// Not a named import: in an old Node.js without this function the import itself would fail.
module.enableCompileCache(join(data, 'compile-cache'));
