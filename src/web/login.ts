import './theme.css';
import './login.css';
import { beginSignIn, enter, finishSignIn, leave, messageOf } from './api.ts';
import { msg } from './words.ts';

/** Returns an element of login.html. */
function find<Type extends Element>(id: string, type: new () => Type): Type {
  const element = document.getElementById(id);
  if (element instanceof type) return element;
  throw new Error(`login.html has no #${id}`);
}
const contentOf = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content ?? '';

const token = find('token', HTMLInputElement);
const failure = find('failure', HTMLElement);
const ways = find('ways', HTMLElement);

/** Does what leads away from this page, and says why it does not. */
async function attempt(work: () => Promise<string>): Promise<void> {
  failure.textContent = '';
  try {
    location.replace(await work());
  } catch (error) {
    failure.textContent = messageOf(error);
  }
}

function addButton(label: string, work: () => Promise<string>): void {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = label;
  button.addEventListener('click', () => void attempt(work));
  ways.append(button);
}

find('login', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault();
  void attempt(async () => {
    await enter(token.value).finally(() => token.select());
    return location.href;
  });
});

const given = JSON.parse(contentOf('ways')) as readonly (readonly [platform: string, title: string])[];
if (contentOf('access') === 'nowhere') {
  failure.textContent = msg(
    'None of your chats has anything from this bot yet: ask it there for alerts first.',
  );
  addButton(msg('Sign out'), () => leave().then(() => '/'));
} else
  for (const [platform, title] of given)
    addButton(msg('Continue with {platform}', { platform: title }), () => beginSignIn(platform));
ways.hidden = ways.childElementCount === 0;
if (ways.hidden) token.focus();

const platform = /^\/sign-in\/(\w+)$/.exec(location.pathname)?.[1];
if (platform !== undefined) {
  const back = { query: location.search.slice(1), fragment: location.hash.slice(1) };
  // What proves who somebody is stays in no history.
  history.replaceState(null, '', '/');
  const app = new URLSearchParams(back.fragment).get('tgWebAppData');
  // Only Telegram's own apps have this bridge: a link that somebody else made opens nobody's session in a browser.
  const isInApp = 'TelegramWebviewProxy' in window;
  if (app === null && `${back.query}${back.fragment}` !== '')
    void attempt(() => finishSignIn(platform, back));
  else if (app !== null && isInApp) void attempt(() => finishSignIn(platform, { app }));
}
