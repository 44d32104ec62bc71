import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ownFolder } from '#test/support/folder.ts';

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
const unit = read('deploy/tocsin.service');
const said = (name: string) =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value);

it('the systemd unit starts what npm start starts', () => {
  expect(said('ExecStart')).toEqual([
    JSON.parse(read('package.json')).scripts.start.replace(/^node /, '/opt/tocsin/'),
  ]);
});

it.each([
  ['ProtectSystem', 'strict'],
  ['NoNewPrivileges', 'yes'],
  ['CapabilityBoundingSet', ''],
  ['User', 'tocsin'],
  ['UMask', '0077'],
  ['StateDirectoryMode', '0700'],
  // A wrong command ends with 64 (EX_USAGE), a wrong configuration with 78 (EX_CONFIG).
  ['RestartPreventExitStatus', '64 78'],
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

it('other commands run, as documented, with what the unit gives the service and its drop-ins add', async () => {
  const [, commands = ''] = /```bash\n(tocsin\(\) .*?)```/s.exec(read('docs/operations.md')) ?? [];
  const folder = await ownFolder();
  const program = (name: string, text: string) => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  };
  writeFileSync(join(folder, 'unit'), `${unit}\n[Service]\nEnvironment="TOCSIN_CONFIG=/etc/my own.yaml"\n`);
  program('systemctl', `[ "$1" != cat ] || cat '${join(folder, 'unit')}'`);
  program('systemd-run', `printf '%s\\n' "$@" >'${join(folder, 'run')}'`);
  const env = { PATH: `${folder}:${process.env.PATH}` };
  execFileSync('bash', ['-c', commands], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const given = readFileSync(join(folder, 'run'), 'utf8').trimEnd().split('\n');
  const names = ['User', 'UMask', 'WorkingDirectory', 'StateDirectory', 'StateDirectoryMode'];
  expect(given.filter((each) => each.startsWith('--property=')).sort()).toEqual(
    [
      ...[...names, 'Environment', 'LoadCredential'].flatMap((name) =>
        said(name).map((value) => `--property=${name}=${value}`),
      ),
      '--property=Environment="TOCSIN_CONFIG=/etc/my own.yaml"',
    ].sort(),
  );
  expect(given.slice(-2)).toEqual([said('ExecStart')[0]?.split(' ')[0], 'check']);
});

it('the systemd unit has more time to stop than the bot takes at most', () => {
  expect(Number(said('TimeoutStopSec')[0])).toBeGreaterThan(9);
});
