import { leave } from './api.ts';
import { msg } from './words.ts';

/** Role of the person at the page; undefined if the page is open to everyone who can reach it. */
const access = document.querySelector<HTMLMetaElement>('meta[name=access]')?.content;

/** Shows the role of the signed-in person and the button to sign out. */
export function Access() {
  if (access !== 'operator' && access !== 'viewer') return null;
  return (
    <section class="tile" aria-label={msg('Access')}>
      <header>
        <h2>{msg('Access')}</h2>
      </header>
      <p class="access">
        {access === 'operator'
          ? msg('You are here as operator: you may change everything.')
          : msg('You are here as viewer: you may look and ask, and change nothing.')}
        <button type="button" onClick={() => void leave().finally(() => location.reload())}>
          {msg('Sign out')}
        </button>
      </p>
    </section>
  );
}
