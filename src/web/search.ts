import type { PageLink } from './composer.tsx';
import { alerts } from './held-alerts.ts';
import { symbols } from './model.ts';
import { marketName } from './numbers.ts';
import { marketPath, pathOf, viewName, views } from './route.ts';
import { msg } from './words.ts';

/** How many places of each sort are offered. */
const most = 3;

/** Finds views, markets and alerts by words that they contain; those that begin with them come first. */
export function search(text: string): readonly PageLink[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [];
  const best = (found: readonly PageLink[]) =>
    found
      .filter(({ label }) => label.toLowerCase().includes(wanted))
      .sort((a, b) => a.label.toLowerCase().indexOf(wanted) - b.label.toLowerCase().indexOf(wanted))
      .slice(0, most);
  const each = {
    views: views.map((view) => ({ label: viewName[view], description: msg('view'), to: pathOf(view) })),
    markets: symbols.value.map((symbol) => ({
      label: marketName(symbol),
      description: msg('market'),
      to: marketPath(symbol),
    })),
    alerts: alerts.value.map(({ id, title }) => ({
      label: title,
      description: msg('alert'),
      to: `/alerts/${id}`,
    })),
  };
  return Object.values(each).flatMap(best);
}
