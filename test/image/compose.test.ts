import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { variablesOf } from '#src/app/config/environment.ts';
import type { Platform } from '#src/platforms/platform.ts';
import { loadPluginFolders } from '#src/runtime/plugins.ts';
import { configured } from '#test/support/settings.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

interface Service {
  readonly image: string;
  readonly build?: string;
  readonly user?: string;
  readonly profiles?: readonly string[];
  readonly command?: readonly string[];
  readonly env_file?: unknown;
  /** Null: the value that .env or the shell of Compose has, if any. */
  readonly environment?: Readonly<Record<string, string | null>>;
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly healthcheck: { readonly test: readonly string[] };
  readonly deploy?: { readonly replicas: number };
  readonly depends_on?: unknown;
}
const compose: {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly volumes: object;
} = parse(read('compose.yaml'), { merge: true });
const services = Object.entries(compose.services);
const names = (profile?: string) =>
  services.filter(([, { profiles }]) => profiles?.[0] === profile).map(([name]) => name);

describe('compose.yaml', () => {
  it('starts one process by default; several on Postgres, and monitoring, are behind profiles', () => {
    expect(names()).toEqual(['tocsin']);
    expect(names('postgres')).toEqual(['bot', 'data', 'postgres']);
    expect(names('sight')).toEqual(['prometheus', 'alertmanager', 'grafana']);
    expect(compose.services.bot?.deploy).toEqual({ replicas: 2 });
  });

  it.each(services)(
    '%s is confined: it can write only to its volumes and has no capability',
    (_, service) => {
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
      expect(service).not.toHaveProperty('privileged');
      expect(service).not.toHaveProperty('cap_add');
      // Folders of this machine are mounted only to be read.
      for (const volume of service.volumes ?? []) expect(volume).toMatch(/^[a-z]+:|^\.\/deploy\/.*:ro$/);
    },
  );

  it.each(services)('%s has a health check, and its ports are open only to this machine', (_, service) => {
    expect(service.healthcheck.test[0]).toBe('CMD');
    for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
  });

  it.each(services.filter(([, { build }]) => build !== undefined))(
    '%s has a health check by /healthz',
    (_, service) => {
      expect(service.healthcheck.test.join(' ')).toMatch(/127\.0\.0\.1:\d+\/healthz/);
    },
  );

  it.each(['tocsin', 'bot'])('%s listens where its ports lead, whatever .env says', (name) => {
    const { environment, ports, healthcheck } = compose.services[name] ?? {};
    const port = environment?.TOCSIN_HTTP_PORT;
    expect(ports).toEqual([expect.stringMatching(new RegExp(`:${port}$`))]);
    expect(healthcheck?.test.join(' ')).toContain(`127.0.0.1:${port}/healthz`);
  });

  it('it contains no secret: each is a named file, given only to the services that need it', () => {
    const used = new Set(services.flatMap(([, { secrets = [] }]) => secrets));
    expect([...used].sort()).toEqual(Object.keys(compose.secrets).sort());
    for (const [name, { file }] of Object.entries(compose.secrets)) expect(file).toBe(`./secrets/${name}`);
    for (const [name, { environment = {}, secrets = [] }] of services)
      for (const [variable, value] of Object.entries(environment))
        if (/TOKEN|PASSWORD|DATABASE|ARCHIVE/.test(variable)) {
          expect([name, variable]).toEqual([name, expect.stringMatching(/_FILE$/)]);
          expect(secrets).toContain(value?.replace('/run/secrets/', ''));
        }
    expect(read('.gitignore').split('\n')).toContain('secrets/');
  });

  it('sets only variables that the configuration knows', async () => {
    const platforms = await loadPluginFolders<Platform>(join(root, 'src/platforms'), 'platform.ts');
    const known = ['TOCSIN_CONFIG', ...Object.keys(variablesOf(platforms))];
    for (const [, { environment = {}, build }] of services)
      for (const variable of Object.keys(build === undefined ? {} : environment))
        expect(known).toContain(variable.replace(/_FILE$/, ''));
  });

  it('gives .env to the bots alone, and to the data service only the variables that it reads', async () => {
    expect(services.filter(([, { env_file }]) => env_file !== undefined).map(([name]) => name)).toEqual([
      'tocsin',
      'bot',
    ]);
    const platforms = await loadPluginFolders<Platform>(join(root, 'src/platforms'), 'platform.ts');
    const readByService = Object.entries(variablesOf(platforms)).flatMap(([name, path]) =>
      /^(data\.embedded|serve|log)\./.test(path.join('.')) ? [name] : [],
    );
    const given = Object.keys(compose.services.data?.environment ?? {});
    expect([...new Set(given.map((name) => name.replace(/_FILE$/, '')))].sort()).toEqual(
      [...readByService, 'TOCSIN_CONFIG'].sort(),
    );
  });

  it('serves data by the command of npm run serve, and runs bots by the image’s own command', () => {
    const { serve } = JSON.parse(read('package.json')).scripts;
    expect(compose.services.data?.command?.join(' ')).toBe(`${serve} --host 0.0.0.0`);
    for (const name of ['tocsin', 'bot']) expect(compose.services[name]).not.toHaveProperty('command');
  });

  it('lets Prometheus scrape each bot with the bots’ token, and load the rules beside its configuration', () => {
    const { scrape_configs, rule_files } = parse(read('deploy/prometheus/containers.yml'));
    const [{ dns_sd_configs, authorization }] = scrape_configs;
    expect(dns_sd_configs[0].names).toEqual(['tocsin', 'bot']);
    for (const name of dns_sd_configs[0].names) {
      const { TOCSIN_HTTP_TOKEN_FILE, TOCSIN_HTTP_HOST } = compose.services[name]?.environment ?? {};
      expect([TOCSIN_HTTP_TOKEN_FILE, TOCSIN_HTTP_HOST]).toEqual([authorization.credentials_file, '0.0.0.0']);
    }
    expect(compose.services.prometheus?.secrets).toContain(
      authorization.credentials_file.replace('/run/secrets/', ''),
    );
    expect(rule_files).toEqual(['alerts.yml']);
  });

  it('tells the operators of the rules’ alerts, by a webhook that is a secret', () => {
    const { alerting } = parse(read('deploy/prometheus/containers.yml'));
    expect(alerting.alertmanagers).toEqual([{ static_configs: [{ targets: ['alertmanager:9093'] }] }]);
    expect(compose.services.prometheus?.depends_on).toEqual(['alertmanager']);
    const { alertmanager } = compose.services;
    expect(alertmanager?.command).toContain('--config.file=/etc/alertmanager/alertmanager.yml');
    expect(alertmanager?.volumes).toContain('./deploy/alertmanager:/etc/alertmanager:ro');
    const { route, receivers } = parse(read('deploy/alertmanager/alertmanager.yml'));
    expect(receivers).toEqual([
      {
        name: route.receiver,
        discord_configs: [{ webhook_url_file: `/run/secrets/${alertmanager?.secrets?.[0]}` }],
      },
    ]);
  });

  it('has the services that the commands of its own and of the documentation name', () => {
    const commands = [read('compose.yaml'), read('docs/operations.md')].join('\n');
    const named = [...commands.matchAll(/docker compose (exec|run|stop|up)((?: [-\w]+)+)/g)].flatMap(
      ([, verb = '', rest = '']) => {
        const words = rest.split(' ').filter((word) => /^\w/.test(word));
        // What follows the service is a command in it.
        return ['exec', 'run'].includes(verb) ? words.slice(0, 1) : words;
      },
    );
    expect(named).toContain('bot');
    for (const name of named) expect(Object.keys(compose.services)).toContain(name);
  });

  it('mounts only files of this folder that exist', () => {
    const own = services.flatMap(([, { volumes = [] }]) =>
      volumes.filter((volume) => volume.startsWith('./')),
    );
    expect(own).toHaveLength(5);
    for (const volume of own)
      expect([volume, existsSync(join(root, volume.split(':')[0] ?? ''))]).toEqual([volume, true]);
    for (const rules of parse(read('deploy/prometheus/containers.yml')).rule_files)
      expect(existsSync(join(root, 'deploy/prometheus', rules))).toBe(true);
  });
});

describe('deploy/host.yaml, for hosts that run a Compose file by a click', () => {
  const { services: hosted } = parse(read('deploy/host.yaml')) as typeof compose;

  it('starts one process on a volume, confined and checked as compose.yaml has it', () => {
    const { tocsin, ...others } = hosted;
    expect(others).toEqual({});
    const { read_only, cap_drop, security_opt, healthcheck, volumes } = compose.services
      .tocsin as object as Record<string, unknown>;
    const { test: asked } = healthcheck as Service['healthcheck'];
    expect(tocsin).toMatchObject({
      read_only,
      cap_drop,
      security_opt,
      volumes,
      healthcheck: { test: asked },
    });
    expect(tocsin).not.toHaveProperty('ports');
  });

  it('asks for variables that the configuration knows, and insists on the page’s token alone', async () => {
    const platforms = await loadPluginFolders<Platform>(join(root, 'src/platforms'), 'platform.ts');
    const asked = Object.entries(hosted.tocsin?.environment ?? {});
    for (const [name] of asked) expect(Object.keys(variablesOf(platforms))).toContain(name);
    expect(asked.filter(([, value]) => value?.includes(':?')).map(([name]) => name)).toEqual([
      'TOCSIN_HTTP_TOKEN',
    ]);
  });

  it('starts where all that may stay empty is empty', async () => {
    const env = Object.fromEntries(
      Object.entries(hosted.tocsin?.environment ?? {}).map(([name, value]) => [
        name,
        String(value)
          .replace(/^\$\{\w+:\?.*$/, 'a token that is long enough')
          .replace(/^\$\{.*$/, ''),
      ]),
    );
    expect(configured(env)).toMatchObject({ http: { host: '0.0.0.0', port: 8080 } });
  });
});
