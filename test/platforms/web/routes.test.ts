import { request } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Admitted, admittedByRoute, views } from '#src/platforms/web/routes.ts';
import { Secret } from '#src/runtime/secret.ts';
import { startConsole } from '#test/support/console.ts';

const operator = 'the-operators-own-token';
const viewer = 'a-token-for-viewers';

/** Every route, with who may call it. */
const routes: Readonly<Record<Admitted, readonly string[]>> = {
  anyone: [
    'GET /assets/:file',
    'GET /healthz',
    'GET /readyz',
    'GET /pictures/:name',
    'POST /api/login',
    'POST /api/sign-in/:platform',
    'POST /hooks/:id',
    'POST /hooks/:id/:secret',
  ],
  known: [...views.map((view) => `GET ${view}`), 'GET /sign-in/:platform', 'POST /mcp'],
  viewer: [
    'GET /metrics',
    'GET /api/status',
    'GET /api/alerts',
    'GET /api/deliveries',
    'GET /api/push',
    'PUT /api/push',
    'DELETE /api/push',
  ],
  member: [
    'GET /api/alerts/:id',
    'GET /api/alerts/page',
    'GET /api/answers',
    'GET /api/answers/picture',
    'POST /api/commands',
    'GET /api/complete',
    'GET /api/data-checks',
    'GET /api/events',
    'POST /api/logout',
    'GET /api/places',
    'GET /api/record',
    'GET /api/rules',
    'POST /api/rules',
    'GET /api/rules/draft',
    'GET /api/rules/preview',
    'GET /api/rules/sentence',
    'GET /api/series',
    'GET /api/watchlist',
  ],
  operator: [
    'GET /api/connecting',
    'PUT /api/connecting/:platform',
    'DELETE /api/connecting/:platform',
    'POST /api/connecting/:platform/sample',
    'POST /api/connecting/:platform/subscription',
    'GET /api/destinations',
    'POST /api/destinations/look',
    'POST /api/destinations/mute',
    'POST /api/destinations/test',
    'GET /api/keys',
    'POST /api/keys',
    'DELETE /api/keys/:id',
    'POST /api/looks',
    'GET /api/settings',
    'PUT /api/settings/:path',
    'DELETE /api/settings/:path',
    'POST /api/settings/:path/preview',
  ],
};
const each = (admitted: Admitted) => routes[admitted].map((route) => route.split(' ') as [string, string]);

async function console() {
  const made = await startConsole({
    token: new Secret(operator),
    viewerToken: new Secret(viewer),
    mcp: true,
  });
  onTestFinished(() => made.close());
  const status = async (method: string, path: string, token?: string): Promise<number> => {
    const { statusCode, body } = await request(made.url + path.replaceAll(/:\w+/g, '1'), {
      method: method as 'GET',
      headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    });
    body.on('error', () => {}).destroy();
    return statusCode;
  };
  return { ...made, status };
}

it('the routes of the page are these, each with who may call it', () => {
  const served = (Object.keys(routes) as Admitted[]).flatMap((admitted) =>
    each(admitted).map(([, path]): [string, Admitted] => [path, admitted]),
  );
  expect(new Map(served)).toEqual(admittedByRoute);
});

describe('a route', () => {
  it('for those who look at the page refuses everybody else', async () => {
    const { status } = await console();
    for (const [method, path] of [...each('viewer'), ...each('member')]) {
      expect([path, await status(method, path)]).toEqual([path, 401]);
      for (const token of [viewer, operator])
        expect([path, [401, 403]]).not.toContain(await status(method, path, token));
    }
  });

  it('for the operator refuses everybody else', async () => {
    const { status } = await console();
    for (const [method, path] of each('operator')) {
      expect([path, await status(method, path)]).toEqual([path, 401]);
      expect([path, await status(method, path, viewer)]).toEqual([path, 403]);
      expect([401, 403]).not.toContain(await status(method, path, operator));
    }
  });

  it('for a picture shows it to whoever has its address, and nothing of the bot’s besides', async () => {
    const name = 'a'.repeat(32);
    const png = new Uint8Array([137, 80, 78, 71]);
    const pictures = {
      publish: () => undefined,
      read: async (asked: string) => (asked === name ? png : undefined),
    };
    const made = await startConsole({ token: new Secret(operator), pictures });
    onTestFinished(() => made.close());
    const got = async (path: string) => {
      const { statusCode, headers, body } = await request(`${made.url}/pictures/${path}`);
      const bytes = new Uint8Array(await body.arrayBuffer());
      return statusCode === 200 ? [headers['content-type'], bytes] : statusCode;
    };
    expect(await got(`${name}.png`)).toEqual(['image/png', png]);
    expect(await got(`${'b'.repeat(32)}.png`)).toBe(404);
    for (const path of [name, 'a.png', '..%2Fhealthz', `${name}.svg`]) expect(await got(path)).toBe(400);
  });

  it('that nobody is named for refuses whoever is not known, and is nowhere for the others', async () => {
    const { status } = await console();
    expect([await status('GET', '/api/v2'), await status('GET', '/api/v2', viewer)]).toEqual([401, 404]);
  });
});
