import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type {
  DestinationRow,
  DestinationSubscription,
  GivenLook,
} from '../platforms/web/ports/destinations.ts';
import { act, busy } from './acts.tsx';
import { answerTo, restyleSubscription, tryLook } from './api.ts';
import { useAsked } from './asked.ts';
import { Posts } from './posts.tsx';
import { msg } from './words.ts';

const styleNames: Readonly<Record<DestinationSubscription['style'], string>> = {
  normal: msg('Normal'),
  minimal: msg('Minimal'),
  own: msg('Own words'),
};
/** Wall ms without a key pressed after which the preview is made. */
const quietTime = 300;

type Draft = Pick<DestinationSubscription, 'style' | 'template' | 'color' | 'footer'>;

const givenBy = ({ style, template, color, footer }: Draft): GivenLook => ({
  style,
  template: style === 'own' && template.trim() !== '' ? template : undefined,
  color: color.trim() || null,
  footer: footer.trim() || null,
});

/** Shows a draft as both chats would, or what is wrong with it. */
function Preview({ draft }: { readonly draft: Draft }) {
  const asked = useSignal(draft);
  useEffect(() => {
    const timer = setTimeout(() => {
      asked.value = draft;
    }, quietTime);
    return () => clearTimeout(timer);
  }, [draft]);
  const about = JSON.stringify(givenBy(asked.value));
  const { answer, failure } = useAsked(() => tryLook(givenBy(asked.value)), { about });
  if (failure !== undefined || answer?.refused)
    return (
      <p class="failure" role="alert">
        {failure ?? answer?.card.summary ?? answer?.card.title}
      </p>
    );
  return answer === undefined ? (
    <p>{msg('Asking…')}</p>
  ) : (
    <Posts card={answer.card} color={asked.value.color} />
  );
}

function Editor({
  place,
  subscription,
  of,
}: {
  readonly place: DestinationRow;
  readonly subscription: DestinationSubscription;
  readonly of: string;
}) {
  const { id, style, template, color, footer } = subscription;
  const draft = useSignal<Draft>({ style, template, color, footer });
  const { answer } = useAsked(() => answerTo('template'), {});
  const change = (to: Partial<Draft>) => {
    draft.value = { ...draft.value, ...to };
  };
  return (
    <form
      class="look"
      onSubmit={(event) => {
        event.preventDefault();
        void act(of, () => restyleSubscription(place.receiver, { id, look: givenBy(draft.value) }));
      }}
    >
      <fieldset class="row">
        <legend class="hidden">{msg('How posts look')}</legend>
        {Object.entries(styleNames).map(([name, words]) => (
          <label key={name}>
            <input
              type="radio"
              name={`style-${id}`}
              checked={draft.value.style === name}
              onChange={() => change({ style: name as Draft['style'] })}
            />{' '}
            {words}
          </label>
        ))}
      </fieldset>
      {draft.value.style === 'own' && (
        <>
          <p class="orders row">
            {answer?.card.table?.rows.map(([name = '', text = '']) => (
              <button
                key={name}
                type="button"
                onClick={() => change({ template: text.replaceAll('\\n', '\n') })}
              >
                {name}
              </button>
            ))}
          </p>
          <label>
            <span>{msg('Template')}</span>
            <textarea
              rows={5}
              spellcheck={false}
              value={draft.value.template.replaceAll('\\n', '\n')}
              onInput={({ currentTarget }) => change({ template: currentTarget.value })}
            />
          </label>
          <p class="about">{answer?.card.summary}</p>
        </>
      )}
      <label>
        <span>{msg('Colour')}</span>
        <input
          value={draft.value.color}
          placeholder="#30a46c"
          maxLength={20}
          spellcheck={false}
          onInput={({ currentTarget }) => change({ color: currentTarget.value })}
        />
      </label>
      <label>
        <span>{msg('Footer, with a link behind it if you like')}</span>
        <input
          value={draft.value.footer}
          placeholder="Our desk https://example.com"
          maxLength={800}
          onInput={({ currentTarget }) => change({ footer: currentTarget.value })}
        />
      </label>
      <Preview draft={draft.value} />
      <button type="submit" class="primary" aria-disabled={busy.value}>
        {msg('Save')}
      </button>
    </form>
  );
}

/** Shows what a place gets by a subscription, and how its posts look, which can be tried and changed. */
export function Look(given: Parameters<typeof Editor>[0]) {
  const isOpen = useSignal(false);
  return (
    <details
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open;
      }}
    >
      <summary>
        {given.subscription.what} <small>{styleNames[given.subscription.style]}</small>
      </summary>
      {isOpen.value && <Editor {...given} />}
    </details>
  );
}
