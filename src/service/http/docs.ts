import type { Description, Operation } from './openapi.ts';

interface Schema {
  readonly [key: string]: unknown;
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
}

/** Renders the API description as a page for people: one file, which contains no script and loads nothing. */
export function docsPage({ info, servers, paths }: Description): string {
  const operations = Object.entries(paths).flatMap(([path, { get, post }]) => [
    ...(get === undefined ? [] : [{ path, method: 'GET', operation: get }]),
    ...(post === undefined ? [] : [{ path, method: 'POST', operation: post }]),
  ]);
  const root = servers[0]?.url ?? '';
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(info.title)}</title>
<style>${style}</style>
<h1>${escaped(info.title)}</h1>
<p>Version ${escaped(info.version)}, below <code>${escaped(root)}</code>. For programs: <a href="openapi.json">openapi.json</a>.</p>
<ul>${info.description.replaceAll(/^- (.*)$/gm, (_, rule: string) => `<li>${inline(rule)}`)}</ul>
<nav>${operations.map(({ path, operation }) => `<a href="#${escaped(operation.operationId)}">${escaped(path)}</a>`).join(' ')}</nav>
${operations.map(({ path, method, operation }) => section(method, { path, operation })).join('\n')}
</html>
`;
}

function section(
  method: string,
  { path, operation }: { readonly path: string; readonly operation: Operation },
): string {
  const { operationId, summary, parameters = [], responses, requestBody } = operation;
  const notes = [
    operation['x-extension'] === true ? 'An extension: another service may lack it.' : '',
    operation['x-cadence-seconds'] === undefined
      ? ''
      : `Its data changes about every ${operation['x-cadence-seconds']} s.`,
  ];
  const rows = parameters.map(
    ({ name, schema }) =>
      `<tr><td><code>${escaped(name)}</code><td>${escaped(bounds(schema as Schema))}<td>${escaped(
        schema.default === undefined ? '' : String(schema.default),
      )}`,
  );
  // All GET endpoints fail in the same ways, which are described among the rules.
  const own = Object.entries(responses).filter(([status]) => status === '200' || method === 'POST');
  const answers = own.map(
    ([status, { description, content }]) =>
      `<dt>${escaped(status)}<dd>${inline(description)}${
        status === '200' ? `<pre>${escaped(shape(content['application/json'].schema as Schema))}</pre>` : ''
      }`,
  );
  return `<section id="${escaped(operationId)}">
<h2><small>${method}</small> <code>${escaped(path)}</code></h2>
<p>${inline(summary)}. ${notes.filter(Boolean).map(escaped).join(' ')}</p>
${rows.length > 0 ? `<table><tr><th>parameter<th>allowed<th>default${rows.join('')}</table>` : ''}
${requestBody === undefined ? '' : `<pre>${escaped(shape(requestBody.content['application/json'].schema as Schema))}</pre>`}
<dl>${answers.join('')}</dl>
</section>`;
}

/** Returns a parameter's type and bounds as text. */
function bounds(schema: Schema): string {
  if (schema.enum !== undefined) return schema.enum.join(', ');
  const parts = [String(schema.format ?? schema.type ?? 'string')];
  if (schema.exclusiveMinimum !== undefined) parts.push(`above ${schema.exclusiveMinimum}`);
  if (schema.minimum !== undefined) parts.push(`from ${schema.minimum}`);
  if (schema.maximum !== undefined) parts.push(`to ${schema.maximum}`);
  return parts.join(' ');
}

/** Renders a JSON schema as the JSON that it describes: types in place of values, `?` after fields that may be absent. */
function shape(schema: Schema, indent = ''): string {
  const deeper = `${indent}  `;
  if (schema.properties !== undefined) {
    const fields = Object.entries(schema.properties).map(([name, field]) => {
      const optional = schema.required?.includes(name) === true ? '' : '?';
      return `${deeper}${name}${optional}: ${shape(field, deeper)}`;
    });
    return `{\n${fields.join('\n')}\n${indent}}`;
  }
  if (schema.items !== undefined) return `[${shape(schema.items, indent)}]`;
  if (schema.anyOf !== undefined) return schema.anyOf.map((each) => shape(each, indent)).join(' | ');
  const known = schema['x-known'] ?? schema.enum;
  if (Array.isArray(known)) return known.join(' | ');
  return schema.format === 'date-time' ? 'timestamp' : String(schema.type ?? 'any');
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? '');
const inline = (text: string): string => escaped(text).replaceAll(/`([^`]*)`/g, '<code>$1</code>');

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 56rem; margin: 2rem auto; padding: 0 1rem; }
nav a { display: inline-block; margin-right: 1rem; }
section { margin-top: 3rem; border-top: 1px solid #8886; }
small { color: #888; font-weight: normal; }
table { border-collapse: collapse; }
th, td { text-align: left; padding: .2rem 1rem .2rem 0; }
pre { background: #8882; padding: .8rem; overflow-x: auto; }
dt { float: left; clear: left; width: 3rem; font-weight: 600; }
dd { margin-left: 3rem; }`;
