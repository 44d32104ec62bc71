// Loaded before the program (`--import`), and therefore plain JavaScript that any Node.js can read. A Node.js that is too old
// refuses a .ts file before any of our code has run, with a stack trace that does not explain the problem. `npm ci` installs a
// Node.js into the project, which npm's scripts find first; if optional packages were left out, npm's scripts find the
// machine's own Node.js. From version 22.18 on Node.js runs .ts files, so main.ts imports this file too, for people who start
// main.ts without npm.
/** The first major version of Node.js with Temporal. */
const oldest = 26;

if (Number.parseInt(process.versions.node, 10) < oldest) {
  process.stderr.write(
    `Tocsin needs Node.js ${oldest} or newer, and this is ${process.versions.node}: run "npm ci", which brings one into the project (without --omit=optional), then "npm start" or "npx node src/main.ts".\n`,
  );
  process.exit(78);
}
