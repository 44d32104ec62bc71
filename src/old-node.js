// Loaded before the program (`--import`), and hence plain JavaScript that any Node.js reads: one too old refuses a .ts
// file before a line of ours has run, by a stack that says nothing. `npm ci` brings a Node.js into the project, which
// npm's scripts find first; where its optional packages were left out they find the machine's own. From 22.18 on a .ts
// file runs, so that main.ts loads this too, for who starts it without npm.
/** The first with Temporal. */
const oldest = 26;

if (Number.parseInt(process.versions.node, 10) < oldest) {
  process.stderr.write(
    `Tocsin needs Node.js ${oldest} or newer, and this is ${process.versions.node}: run "npm ci", which brings one into the project (without --omit=optional), then "npm start" or "npx node src/main.ts".\n`,
  );
  process.exit(78);
}
