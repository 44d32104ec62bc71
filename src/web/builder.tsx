import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { messageOf, previewOf, readWish } from './api.ts';
import { Choices } from './choices.tsx';
import {
  chosenMetric,
  condition,
  draft,
  draftKey,
  draftRequest,
  edited,
  fill,
  series,
  seriesFailure,
} from './draft.ts';
import { FiringList, LevelChart } from './level-chart.tsx';
import { busy, save } from './order.ts';
import { Posts } from './posts.tsx';
import { msg } from './words.ts';

/** Draws the metric's past with the level, or says why there is nothing to draw. */
function Past() {
  if (condition.value !== '')
    return (
      <p class="empty">{msg('A condition has no single line to draw: check it by replaying the past.')}</p>
    );
  if (seriesFailure.value !== undefined) return <p class="empty">{seriesFailure.value}</p>;
  if (series.value === undefined) return <p class="empty waiting">{msg('Asking…')}</p>;
  if (series.value.points.filter(([, value]) => value !== null).length < 2)
    return (
      <p class="empty">
        {msg('No history of this metric here: set the level, and check it by replaying the past.')}
      </p>
    );
  return (
    <>
      <LevelChart />
      <FiringList />
    </>
  );
}

/** Lets the bot replay the past and shows how often the alert would have been sent. */
function Check() {
  const result = useSignal<string | undefined>(undefined);
  const isReplaying = useSignal(false);
  const request = draftRequest.value;
  useEffect(() => {
    result.value = undefined;
  }, [draftKey.value]);
  async function check(): Promise<void> {
    if (request === undefined || isReplaying.value) return;
    const key = draftKey.peek();
    isReplaying.value = true;
    const { summary = '' } = await previewOf(request).catch((error: unknown) => ({
      summary: messageOf(error),
    }));
    isReplaying.value = false;
    // The replay is of the draft as it was: it says nothing of one that was changed meanwhile.
    if (draftKey.peek() === key) result.value = summary;
  }
  return (
    <div class="check row">
      <button
        type="button"
        disabled={request === undefined}
        aria-disabled={isReplaying.value}
        onClick={() => void check()}
      >
        {isReplaying.value ? msg('Replaying 30 days…') : msg('Check by replaying 30 days')}
      </button>
      <p role="status">{result.value}</p>
    </div>
  );
}

function Sentence() {
  const isLoading = series.value === undefined && seriesFailure.value === undefined;
  if (draftRequest.value === undefined && !isLoading)
    return <p class="sentence">{msg('Set the level at which it fires.')}</p>;
  if (draftRequest.value === undefined || draft.value === undefined)
    return <p class="sentence">{msg('Asking…')}</p>;
  const { answer, key } = draft.value;
  if ('problem' in answer)
    return (
      <p class="sentence problem" role="alert">
        {answer.problem}
      </p>
    );
  async function saveShown(): Promise<void> {
    const saved = edited.peek();
    const shown = draftRequest.peek();
    if (shown !== undefined && !isOutdated && (await save(shown)) && edited.peek() === saved)
      edited.value = undefined;
  }
  // Until the server has answered, the line is still that of the draft before the last change.
  const isOutdated = key !== draftKey.value;
  return (
    <>
      <p class="sentence">
        {answer.sentence} <small>{msg('Clears when: {condition}.', { condition: answer.clears })}</small>
      </p>
      <div class="save row">
        <code>{answer.line}</code>
        <button
          type="button"
          class="primary"
          aria-disabled={busy.value || isOutdated}
          onClick={() => void saveShown()}
        >
          {edited.value === undefined ? msg('Create alert') : msg('Save changes')}
        </button>
        {edited.value !== undefined && (
          <button type="button" onClick={() => (edited.value = undefined)}>
            {msg('New alert instead')}
          </button>
        )}
      </div>
    </>
  );
}

/** A sentence that fills in the choices, and how it was read. */
function Wish() {
  const said = useSignal('');
  const isProblem = useSignal(false);
  const isReading = useSignal(false);
  async function read(sentence: string): Promise<void> {
    isReading.value = true;
    const wish = await readWish(sentence).catch((error: unknown) => ({ problem: messageOf(error) }));
    isReading.value = false;
    isProblem.value = 'problem' in wish;
    said.value = 'problem' in wish ? wish.problem : msg('Read as: {sentence}', { sentence: wish.said });
    if (!('problem' in wish)) fill(wish);
  }
  return (
    <form
      class="wish row"
      onSubmit={(event) => {
        event.preventDefault();
        const sentence = new FormData(event.currentTarget).get('sentence');
        if (typeof sentence === 'string' && sentence.trim() !== '') void read(sentence);
      }}
    >
      <label>
        <span>{msg('In your own words, e.g. {example}', { example: 'btc above 24000' })}</span>
        <input name="sentence" maxLength={200} autocomplete="off" spellcheck={false} />
      </label>
      <button type="submit" disabled={isReading.value}>
        {msg('Fill in')}
      </button>
      <p class={isProblem.value ? 'problem' : undefined} role="status">
        {said.value}
      </p>
    </form>
  );
}

/** Builds an alert over the past of its metric, and shows the line by which it could also be saved in a chat. */
export function Builder() {
  const answer = draft.value?.answer;
  return (
    <section class="tile builder" aria-label={msg('Build an alert')}>
      <header>
        <h2>
          {edited.value === undefined
            ? msg('Build an alert')
            : msg('Change alert {id}', { id: edited.value.id })}
        </h2>
        {condition.value === '' && <p class="about">{chosenMetric.value?.description}</p>}
        {series.value !== undefined && <span class="as-of">{series.value.source}</span>}
      </header>
      <Wish />
      <Choices />
      <Past />
      <Sentence />
      <Check />
      <details open={condition.value !== ''}>
        <summary>{msg('Advanced: a condition of your own')}</summary>
        <label>
          <span>
            {msg('Join several metrics, e.g. {example}', {
              example: 'funding.z > 2.5 && oi.ratePct > 1',
            })}
          </span>
          <textarea
            rows={2}
            spellcheck={false}
            value={condition.value}
            onInput={({ currentTarget }) => (condition.value = currentTarget.value.trim())}
          />
        </label>
      </details>
      {answer !== undefined && 'card' in answer && <Posts card={answer.card} />}
    </section>
  );
}
