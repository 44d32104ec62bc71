// npm 9 and 10 install the Node.js that everything runs on and leave out its link in node_modules/.bin, by which every script
// finds it; npm 11 makes it. What is linked already stays. Runs on any Node.js that npm has.
import { existsSync, readdirSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const modules = fileURLToPath(new URL('../../node_modules/', import.meta.url));
const name = new RegExp(`^node-(bin-)?${process.platform}-${process.arch}$`);
const found = readdirSync(modules).find(
  (each) => name.test(each) && existsSync(`${modules}${each}/bin/node`),
);
if (found !== undefined && !existsSync(`${modules}.bin/node`))
  symlinkSync(`../${found}/bin/node`, `${modules}.bin/node`);
