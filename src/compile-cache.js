// Loaded before the program (`--import`), in every thread, and hence plain JavaScript: stripping the types of some 300
// files costs each thread half a second and 25 MB at every start, so what was stripped is kept. Measured by
// `npm run bench -- idle start`. Where the folder cannot be written nothing is kept, and nothing else happens.
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import './old-node.js';

// Not by its name: of an old Node.js that has none, the import itself would fail.
module.enableCompileCache(fileURLToPath(new URL('../data/compile-cache', import.meta.url)));
