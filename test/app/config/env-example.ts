import type { z } from 'zod';
import type { Variables } from '#src/app/config/environment.ts';

type Schema = z.core.JSONSchema.BaseSchema;

const head = `# Copy this file to .env beside package.json. Everything is optional. A variable overrides the setting of a YAML file.
# A secret (a token, key, password, or a URL that contains one) can be read from a file instead: append _FILE to the name and
# give the path, e.g. DISCORD_TOKEN_FILE=/run/secrets/discord-token. A systemd credential is named like its variable.

# Your own YAML file; its settings override config/default.yaml, which has more of them.
#TOCSIN_CONFIG=my.yaml
`;

/** Writes config/env.example: each variable with the default and the description of its setting. */
export function envExample(variables: Variables, schema: Schema): string {
  const lines = [head.trimEnd()];
  let group = '';
  for (const [name, path] of Object.entries(variables).toSorted(([, a], [, b]) =>
    rank(a) < rank(b) ? -1 : 1,
  )) {
    const section = path.slice(0, path[0] === 'platforms' ? 2 : -1);
    if (section.join('.') !== group) lines.push('', ...comment(at(schema, section)));
    group = section.join('.');
    const setting = at(schema, path);
    const { default: value, examples = [] } = setting;
    lines.push(...comment(setting), `#${name}=${value ?? examples[0] ?? ''}`);
  }
  return `${lines.join('\n')}\n`;
}

/** Variables keep their order within a section, and sections with a setting of the same path stand together. */
const rank = (path: readonly string[]) => path.slice(0, path[0] === 'platforms' ? 2 : -1).join('.');

const at = (schema: Schema, path: readonly string[]): Schema =>
  path.reduce((inner, key) => (inner.properties?.[key] ?? {}) as Schema, schema);

const comment = ({ description = '' }: Schema): string[] => {
  const said = description.replace(/\s*\([A-Z_]+\)$/, '').replaceAll(/\bnull: /g, 'unset: ');
  return said === '' ? [] : (said.match(/.{1,124}(?: |$)/g) ?? []).map((text) => `# ${text.trimEnd()}`);
};
