import { useEffect, useRef } from 'preact/hooks';
import type { PageConnecting } from '../platforms/web/serve-connecting.ts';
import type { NamedPlace } from '../shell/connecting.ts';
import { Act, act, busy, Failure, outcome, withLinks } from './acts.tsx';
import { beginAlerts, disconnectPlatform, postSample, readConnecting } from './api.ts';
import { useAsked } from './asked.ts';
import { linkTo, platformName } from './route.ts';
import { changing, replace, states, TokenForm } from './token-form.tsx';
import { msg } from './words.ts';

/** Ms between two requests: a bot is seen in a place soon after it was added to it. */
const refreshInterval = 2_000;

const sourceWord = ({ source }: PageConnecting): string | undefined =>
  source === 'here'
    ? msg('Connected')
    : source === 'configuration'
      ? msg('Set by the environment or a file')
      : undefined;

function Platforms({ all }: { readonly all: readonly PageConnecting[] }) {
  return (
    <nav class="platforms" aria-label={msg('Platforms')}>
      {all.map((each) => (
        <a
          key={each.name}
          class="box"
          {...linkTo(`/connect/${each.name}`)}
          aria-current={each.name === platformName.value ? 'page' : undefined}
        >
          <b>{each.title}</b>
          <small data-state={each.problem === undefined ? (each.source ?? undefined) : 'problem'}>
            {each.problem === undefined ? (sourceWord(each) ?? msg('Not connected')) : msg('Does not work')}
          </small>
        </a>
      ))}
    </nav>
  );
}

function FirstStep({ state }: { readonly state: PageConnecting }) {
  const { name, title, source, steps, bot, problem } = state;
  const isOpen = source === null || changing.value === name;
  return (
    <li class="box" data-done={isOpen ? undefined : ''}>
      <h3>{isOpen ? msg('Get access') : (bot?.name ?? title)}</h3>
      {problem !== undefined && (
        <p class="failure" role="alert">
          {withLinks(problem)}
        </p>
      )}
      {isOpen ? (
        <>
          <ul class="how">
            {steps.map((step) => (
              <li key={step}>{withLinks(step)}</li>
            ))}
          </ul>
          <TokenForm state={state} />
        </>
      ) : (
        <p class="orders row">
          <span>{sourceWord(state)}</span>
          {source === 'here' && (
            <>
              <button
                type="button"
                onClick={() => {
                  changing.value = name;
                }}
              >
                {msg('Change')}
              </button>
              <Act
                of={name}
                class="danger"
                work={async () => {
                  replace(await disconnectPlatform(name));
                  return undefined;
                }}
              >
                {msg('Disconnect')}
              </Act>
            </>
          )}
        </p>
      )}
    </li>
  );
}

/** The link by which a person adds the bot to a place, and the same as a picture for the phone. */
function JoiningStep({ state }: { readonly state: PageConnecting }) {
  const { joining, bot, qr, places, barred, title } = state;
  if (joining === undefined) return null;
  return (
    <li class="box" data-done={places.length > 0 ? '' : undefined}>
      <h3>{msg('Add the bot')}</h3>
      <p>{joining}</p>
      {bot === undefined ? (
        <p role="status">{msg('Waiting for {platform}…', { platform: title })}</p>
      ) : (
        <div class="joining row">
          <a class="button primary" href={bot.link} target="_blank" rel="noreferrer">
            {msg('Add {bot}', { bot: bot.name })}
          </a>
          {qr !== undefined && (
            <svg
              class="qr"
              viewBox={`0 0 ${qr.size} ${qr.size}`}
              role="img"
              aria-label={msg('The same link for a phone')}
            >
              <path d={qr.path} />
            </svg>
          )}
          <p role="status">
            {places.length === 0
              ? barred.length === 0 && msg('Waiting until the bot is somewhere…')
              : msg('{n, plural, one {It may post in # place} other {It may post in # places}}', {
                  n: places.length,
                })}
          </p>
        </div>
      )}
      {barred.map((text) => (
        <p key={text} class="failure" role="alert">
          {text}
        </p>
      ))}
    </li>
  );
}

function SampleStep({ state }: { readonly state: PageConnecting }) {
  const { name, places, addressExample } = state;
  const chosen = useRef<HTMLSelectElement>(null);
  const address = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const isReady = places.length > 0;
  // The next thing to do has the focus once it can be done.
  useEffect(() => {
    if (isReady && document.activeElement === document.body) button.current?.focus();
  }, [isReady]);
  const place = (): NamedPlace =>
    places.find((each) => JSON.stringify(each.address) === chosen.current?.value)?.address ??
    address.current?.value ??
    '';
  const { said, isSample } = outcome.value?.of === name ? outcome.value : {};
  return (
    <li class="box" data-done={said === undefined ? undefined : ''}>
      <h3>{msg('Send a sample alert')}</h3>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void act(name, async () => {
            await postSample(name, place());
            return { said: msg('The sample has arrived there.'), isSample: true };
          });
        }}
      >
        {isReady ? (
          <label>
            <span>{msg('Where')}</span>
            <select ref={chosen}>
              {places.map((each) => (
                <option key={JSON.stringify(each.address)} value={JSON.stringify(each.address)}>
                  {each.name}
                </option>
              ))}
            </select>
          </label>
        ) : (
          <label>
            <span>{msg('Where')}</span>
            <input ref={address} required maxLength={2_000} placeholder={addressExample} />
          </label>
        )}
        <button ref={button} type="submit" class="primary" aria-disabled={busy.value}>
          {msg('Send a sample alert')}
        </button>
        <Failure of={name} />
        {said !== undefined && (
          <div class="done row" role="status">
            <p>{said}</p>
            {isSample && (
              <Act of={name} work={() => beginAlerts(name, place())}>
                {msg('Get the standard alerts there')}
              </Act>
            )}
          </div>
        )}
      </form>
    </li>
  );
}

/** Shows the platforms, and step by step how the chosen one is connected. */
export function Connect() {
  const { answer: all, failure } = useAsked(readConnecting, { interval: refreshInterval, last: states });
  if (all === undefined) return <p class="empty waiting">{failure ?? msg('Asking…')}</p>;
  const state = all.find(({ name }) => name === platformName.value);
  const isUsable = state !== undefined && state.source !== null && changing.value !== state.name;
  return (
    <>
      <h2>{msg('Connect a chat')}</h2>
      <p class="about">
        {msg('Choose where alerts are to go. Nothing has to be restarted, and a sample shows that it works.')}
      </p>
      <Platforms all={all} />
      {state !== undefined && (
        <ol class="steps" key={state.name}>
          <FirstStep state={state} />
          {isUsable && <JoiningStep state={state} />}
          {isUsable && (state.joining === undefined || state.bot !== undefined) && (
            <SampleStep state={state} />
          )}
        </ol>
      )}
    </>
  );
}
