/**
 * Who may call a route. `anyone`: it does not look at the page's token, since it shows nothing of the bot's or has a secret of its
 * own. `known`: the route itself looks at who calls, and answers whom it does not know with the log-in or the remedy. `member`:
 * also who signed in by a platform, in a place of his. `viewer`: whoever has a token. `operator`: nobody else.
 */
export type Admitted = 'anyone' | 'known' | 'member' | 'viewer' | 'operator';

/** Paths at which the server sends the page, which then chooses the view by itself. */
export const views = [
  '/',
  '/alerts',
  '/alerts/:id',
  '/settings',
  '/destinations',
  '/keys',
  '/chat',
  '/rules',
  '/record',
  '/health',
  '/connect',
  '/connect/:platform',
  '/market/:symbol',
  '/market/:symbol/:interval',
];

/** The page that a browser comes back to when its user signs in by a platform. */
export const signInView = '/sign-in/:platform';

/** Below this path programs read and change what belongs to their place. */
export const apiRoot = '/api/v1';
/** The path at which agents send their requests, if the operator allows agents. */
export const mcpPath = '/mcp';
export const hookRoutes = ['/hooks/:id', '/hooks/:id/:secret'];

const listed: Readonly<Record<Admitted, readonly string[]>> = {
  anyone: [
    '/assets/:file',
    '/healthz',
    '/readyz',
    '/pictures/:name',
    '/api/login',
    '/api/sign-in/:platform',
    ...hookRoutes,
  ],
  known: [...views, signInView, mcpPath],
  viewer: ['/metrics', '/api/status', '/api/alerts', '/api/deliveries', '/api/push'],
  member: [
    '/api/alerts/:id',
    '/api/alerts/page',
    '/api/answers',
    '/api/answers/picture',
    '/api/commands',
    '/api/complete',
    '/api/data-checks',
    '/api/events',
    '/api/logout',
    '/api/places',
    '/api/record',
    '/api/rules',
    '/api/rules/draft',
    '/api/rules/preview',
    '/api/rules/sentence',
    '/api/series',
    '/api/watchlist',
  ],
  operator: [
    '/api/connecting',
    '/api/connecting/:platform',
    '/api/connecting/:platform/sample',
    '/api/connecting/:platform/subscription',
    '/api/destinations',
    '/api/destinations/look',
    '/api/destinations/mute',
    '/api/destinations/test',
    '/api/keys',
    '/api/keys/:id',
    '/api/looks',
    '/api/settings',
    '/api/settings/:path',
    '/api/settings/:path/preview',
  ],
};

/** Who may call each route, by its path. A route that is not listed here cannot be served. */
export const admittedByRoute: ReadonlyMap<string, Admitted> = new Map(
  Object.entries(listed).flatMap(([admitted, paths]) => paths.map((path) => [path, admitted as Admitted])),
);

/** Returns who may call the route of a path; undefined: nothing is served there. */
export const admittedTo = (path: string): Admitted | undefined =>
  path.startsWith(`${apiRoot}/`) ? 'known' : admittedByRoute.get(path);
