import { run } from './chat.tsx';
import { kept } from './kept.ts';
import { health } from './model.ts';
import { asShare } from './numbers.ts';
import { linkTo } from './route.ts';
import { msg } from './words.ts';

/** Whether the first words of the page were read in this browser. */
const introduced = kept('tocsin.introduced');

/** Says once what this is, whether the market is real, how far loading is, and three things to do. */
export function Introduction() {
  const now = health.value;
  if (introduced.value !== '') return null;
  const { source, speed, loaded } = now ?? { source: 'simulated', speed: 1, loaded: undefined };
  return (
    <aside class="introduction row" aria-label={msg('What to try first')}>
      {/* Before it is known which market it is, the words take their place unseen, so that nothing moves when it is. */}
      <p class={now === undefined ? 'unknown' : undefined}>
        {msg('Tocsin watches crypto derivatives and sends alerts to your chats.')}{' '}
        {source === 'simulated' &&
          msg('This market is simulated and runs {speed} × as fast as a real one: no figure here is real.', {
            speed,
          })}
        {source === 'recorded' && msg('This market is a recording: no figure here is of now.')}{' '}
        {/* Unseen it keeps its place, so that nothing moves once the history is there. */}
        <span class={loaded === undefined ? 'unknown' : undefined}>
          {msg('Its history is still loading: {share}.', { share: asShare(loaded ?? 1) })}
        </span>
      </p>
      <ul class="row">
        <li>
          <button type="button" onClick={() => run('test')}>
            {msg('See sample alerts')}
          </button>
        </li>
        <li>
          <a {...linkTo('/rules')}>{msg('Make an alert of your own')}</a>
        </li>
        <li>
          <button type="button" onClick={() => run('help')}>
            {msg('All commands')}
          </button>
        </li>
      </ul>
      <button type="button" onClick={() => (introduced.value = 'yes')}>
        {msg('Got it')}
      </button>
    </aside>
  );
}
