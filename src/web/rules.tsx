import type { ComponentProps } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Desk, DeskPreset, DeskRule } from '../platforms/web/ports/rule-desk.ts';
import { useAsked } from './asked.ts';
import { Builder } from './builder.tsx';
import { desk, edit, followDraft, refresh } from './draft.ts';
import { asNumber } from './numbers.ts';
import { busy, outcome, runCommand } from './order.ts';
import { Scrolls } from './tile.tsx';
import { msg } from './words.ts';

const aboutPreset: Readonly<Record<DeskPreset['minSeverity'], string>> = {
  critical: msg('Critical alerts only'),
  warning: msg('Warnings and worse: what most traders want'),
  info: msg('Every kind of alert, down to info'),
};

/** A button that runs a command, which its tooltip says. */
const Run = ({ line, ...given }: { readonly line: string } & ComponentProps<'button'>) => (
  <button
    type="button"
    aria-disabled={busy.value}
    title={line}
    {...given}
    onClick={() => void runCommand(line)}
  />
);

function Presets({ presets, days }: Pick<Desk, 'presets' | 'days'>) {
  return (
    <section class="tile presets" aria-label={msg('Ready-made')}>
      <header>
        <h2>{msg('Ready-made')}</h2>
        <span class="as-of">
          {days === undefined
            ? msg('checking the last 30 days…')
            : msg('posts a day over {days, plural, one {# day} other {# days}}, all markets', {
                days: Math.round(days),
              })}
        </span>
      </header>
      <ul>
        {presets.map(({ name, words, minSeverity, kinds, perDay }) => (
          <li key={name}>
            <h3>{words}</h3>
            <p class="rate">
              <b>{perDay === undefined ? '–' : asNumber(perDay, 1)}</b> {msg('a day')}
            </p>
            <p>
              {aboutPreset[minSeverity]}{' '}
              <small title={kinds.join(', ')}>
                ({msg('{n, plural, one {# kind} other {# kinds}}', { n: kinds.length })})
              </small>
            </p>
            <Run
              line={`subscribe preset=${name}`}
              aria-label={msg('Subscribe to {preset}', { preset: words })}
            >
              {msg('Subscribe')}
            </Run>
          </li>
        ))}
      </ul>
    </section>
  );
}

function OwnRule({ rule }: { readonly rule: DeskRule }) {
  const { id, name, condition, markets, state, paused, firing, file } = rule;
  return (
    <li>
      <p>
        <b title={condition}>{name}</b>
        <span>{markets}</span>
      </p>
      <p class="state">
        {firing > 0 ? (
          <b class="firing-now">{msg('{n, plural, other {# firing}}', { n: firing })}</b>
        ) : (
          <span data-paused={paused ? '' : undefined}>{state}</span>
        )}
        {file !== undefined && <span>{msg('Set by {file}', { file })}</span>}
        <code>{id}</code>
      </p>
      {file === undefined && <Orders rule={rule} />}
    </li>
  );
}

function Orders({ rule }: { readonly rule: DeskRule }) {
  const { id, name, paused } = rule;
  return (
    <div class="orders row">
      <button type="button" onClick={() => edit(rule)} aria-label={msg('Edit {alert}', { alert: name })}>
        {msg('Edit')}
      </button>
      {paused ? (
        <Run line={`alert resume id=${id}`} aria-label={msg('Resume {alert}', { alert: name })}>
          {msg('Resume')}
        </Run>
      ) : (
        <Run line={`alert pause id=${id}`} aria-label={msg('Pause {alert}', { alert: name })}>
          {msg('Pause')}
        </Run>
      )}
      <Run line={`alert delete id=${id}`} class="danger" aria-label={msg('Delete {alert}', { alert: name })}>
        {msg('Delete')}
      </Run>
    </div>
  );
}

function OwnRules({ rules }: Pick<Desk, 'rules'>) {
  const said = useRef<HTMLDivElement>(null);
  const shown = useRef(rules.length);
  // The button that deleted an alert is gone with it: who pressed it by keyboard goes on where that can be undone.
  useEffect(() => {
    if (rules.length < shown.current && document.activeElement === document.body)
      said.current?.querySelector('button')?.focus();
    shown.current = rules.length;
  }, [rules.length]);
  return (
    <section class="tile own" aria-label={msg('Your alerts')}>
      <header>
        <h2>{msg('Your alerts')}</h2>
        <span class="as-of">{rules.length}</span>
      </header>
      <div ref={said} class="outcome" role="status">
        {outcome.value !== undefined && (
          <>
            <b>{outcome.value.title}</b> <span>{outcome.value.summary}</span>
            {outcome.value.actions
              ?.filter(({ command }) => command.startsWith('alert create '))
              .map(({ label, command }) => (
                <Run key={command} line={command}>
                  {label}
                </Run>
              ))}
          </>
        )}
      </div>
      {rules.length === 0 ? (
        <p class="empty">{msg('None yet. Drag the level to where you want an alert, then create it.')}</p>
      ) : (
        <ul>
          {rules.map((rule) => (
            <OwnRule key={rule.id} rule={rule} />
          ))}
        </ul>
      )}
    </section>
  );
}

/** Ms between two requests: alerts are also created in chats, and the presets' past is being counted. */
const refreshInterval = 10_000;

/** Shows the presets, the builder of new alerts, and the existing own alerts. */
export function Rules() {
  useAsked(refresh, { interval: refreshInterval });
  useEffect(followDraft, []);
  const found = desk.value;
  if (found === undefined) return <p class="empty waiting">{msg('Asking…')}</p>;
  return (
    <Scrolls name={msg('Rules')}>
      <div class="rules">
        <Builder />
        <div class="aside">
          <Presets {...found} />
          <OwnRules {...found} />
        </div>
      </div>
    </Scrolls>
  );
}
