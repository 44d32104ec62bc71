import { computed, effect, type Signal, signal } from '@preact/signals';
import { access } from './room.ts';
import { msg } from './words.ts';

const path = signal(location.pathname);
addEventListener('popstate', () => {
  path.value = location.pathname;
});

const allViews = ['now', 'alerts', 'chat', 'rules', 'record', 'health', 'connect'] as const;
export type PageView = (typeof allViews)[number];
/** A member connects nothing. */
export const views = allViews.filter((each) => access !== 'member' || each !== 'connect');

export const viewName: Readonly<Record<PageView, string>> = {
  now: msg('Now'),
  alerts: msg('Alerts'),
  chat: msg('Chat'),
  rules: msg('Rules'),
  record: msg('Record'),
  health: msg('Health'),
  connect: msg('Connect'),
};

/** What an operator sets up: these have one entry among the views, and links between them. */
export const setUpViews = ['connect', 'destinations', 'settings', 'keys'] as const;
export type SetUpView = (typeof setUpViews)[number];

/** Returns the path of a view. The room is in the query and does not change. */
export const pathOf = (view: PageView): string => (view === 'now' ? '/' : `/${view}`);

export const view = computed<PageView>(() => {
  const [, first] = path.value.split('/');
  return setUpViews.some((each) => each === first)
    ? 'connect'
    : (views.find((each) => each === first) ?? 'now');
});
export const setUpView = computed<SetUpView>(
  () => setUpViews.find((each) => path.value.split('/')[1] === each) ?? 'connect',
);
export const alertId = computed(() => /^\/alerts\/(.+)$/.exec(path.value)?.[1]);

/** The market that is shown, and the length of its candles. */
export const shownMarket = computed(() => {
  const [, symbol, interval = '1h'] = /^\/market\/([^/]+)(?:\/(\w+))?$/.exec(path.value) ?? [];
  return symbol === undefined ? undefined : { symbol: decodeURIComponent(symbol), interval };
});
export const marketPath = (symbol: string, interval?: string): string =>
  ['/market', encodeURIComponent(symbol), interval].filter((part) => part !== undefined).join('/');

const inQuery = (name: string): string => new URLSearchParams(location.search).get(name) ?? '';

/** Returns a part of what a view shows that stands in the page's address, so that a link leads to the same. Empty: not there. */
export function inAddress(name: string): Signal<string> {
  const state = signal(inQuery(name));
  addEventListener('popstate', () => {
    state.value = inQuery(name);
  });
  effect(() => {
    if (state.value === inQuery(name)) return;
    const address = new URL(location.href);
    if (state.value === '') address.searchParams.delete(name);
    else address.searchParams.set(name, state.value);
    history.replaceState(null, '', address);
  });
  return state;
}

export const platformName = computed(() => /^\/connect\/([\w-]+)$/.exec(path.value)?.[1]);

/** Whether the present view was chosen with a digit, as the next one may be. */
export let chosenByDigit = false;

export function navigate(to: string, byDigit = false): void {
  if (to === path.value) return;
  chosenByDigit = byDigit;
  history.pushState(null, '', `${to}${location.search}`);
  path.value = to;
}

/** Returns the properties of a link within the page. Clicks that open another tab are left to the browser. */
export const linkTo = (to: string) => ({
  href: `${to}${location.search}`,
  onClick(event: MouseEvent) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    navigate(to);
  },
});
