/** The usage text of the command line, for terminals of 80 columns and more. */
export const usage = `npm start        the bot, with a data service of its own
                 -- key create|list|revoke: which programs may ask it
npm run serve    the data service alone
                 -- --port 4010 --symbols 100
                 -- --market simulated --seed 7 --speed 1
                 -- --market recorded:DIR, or --market live
                 -- --from DATE: where a simulated or recorded market begins
                 -- --read: answers from what another service collects into
                    the same Postgres
                 -- account create EMAIL, -- key create|list|revoke: who may
                    ask it
npm run replay   prints the alerts of a recorded past, sends none
                 -- --market recorded:DIR --from DATE --to DATE
                 -- --labels FILE: writes the published regime of every
                    closed hour instead of the alerts, of BTCUSDT or of
                    --symbol ETHUSDT
npm run prepare  builds the page and compiles what npm start loads, as npm ci
                 does
npm run check    finds what npm start would refuse; changes nothing
                 -- places: the files of places alone, and what they would
                    change
                 -- live: what the sources of a live market answer, with a
                    report to send; --listen 30, --report FILE
npm run backup   copies the bot's database while it runs
                 -- FILE, and --archive FILE for the data service's
npm run restore  puts it back, or into an empty Postgres database; a file
                 that stood there is kept
                 -- FILE --archive FILE
                 -- --mark: after pg_restore, marks what waits as in doubt
npm run lookahead
                 checks that no answer or alert used later data
                 -- --market recorded:DIR --cuts 5
npm run verify   checks that no posted alert was changed, removed or added
                 later
                 -- [DATABASE or EXPORT] --heads FILE --write EXPORT
                 --proof ALERT: prints what docs/verify.html checks
`;
