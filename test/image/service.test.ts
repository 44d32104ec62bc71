import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
const unit = read('config/tocsin.service');
const said = (name: string) =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value);

it('the systemd unit starts what npm start starts, with the Node.js of the lock file', () => {
  expect(said('ExecStart')).toEqual([
    JSON.parse(read('package.json')).scripts.start.replace(/^node/, '/opt/tocsin/node_modules/.bin/node'),
  ]);
});

it.each([
  ['ProtectSystem', 'strict'],
  ['NoNewPrivileges', 'yes'],
  ['CapabilityBoundingSet', ''],
  ['User', 'tocsin'],
  ['UMask', '0077'],
  ['StateDirectoryMode', '0700'],
  // A wrong configuration ends with 78 (EX_CONFIG).
  ['RestartPreventExitStatus', '78'],
  ['ExecReload', '/bin/kill -HUP $MAINPID'],
])('the systemd unit sets %s=%s', (name, value) => expect(said(name)).toEqual([value]));

it('the systemd unit can write only to its own folders, which contain both databases', () => {
  expect([said('StateDirectory'), said('CacheDirectory'), said('ReadWritePaths')]).toEqual([
    ['tocsin'],
    ['tocsin'],
    [],
  ]);
  const databases = said('Environment').filter((each) => /_URL=/.test(each ?? ''));
  expect(databases).toHaveLength(2);
  for (const each of databases) expect(each).toMatch(/=file:\/var\/lib\/tocsin\//);
});

it('the systemd unit gives the service the tokens that its own installation steps store', () => {
  const stored = [...unit.matchAll(/^# .*?install .*(\/etc\/tocsin\/[\w-]+)/gm)].map(([, file]) => file);
  expect(stored).toEqual(['/etc/tocsin/discord-token']);
  expect(said('LoadCredential')).toEqual(stored.map((file) => `DISCORD_TOKEN:${file}`));
});

it('the systemd unit has more time to stop than the bot takes at most', () => {
  expect(Number(said('TimeoutStopSec')[0])).toBeGreaterThan(9);
});
