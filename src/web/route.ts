import { computed, signal } from '@preact/signals';

const path = signal(location.pathname);
addEventListener('popstate', () => {
  path.value = location.pathname;
});

export const views = ['now', 'alerts', 'chat', 'rules', 'record', 'health', 'connect'] as const;
export type PageView = (typeof views)[number];

/** Returns the path of a view. The room is in the query and does not change. */
export const pathOf = (view: PageView): string => (view === 'now' ? '/' : `/${view}`);

export const view = computed<PageView>(
  () => views.find((each) => path.value.split('/')[1] === each) ?? 'now',
);
/** Id of the alert whose details are shown. */
export const alertId = computed(() => /^\/alerts\/(.+)$/.exec(path.value)?.[1]);

/** Name of the platform that is being connected. */
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
