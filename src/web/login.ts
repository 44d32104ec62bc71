import './theme.css';
import './login.css';
import { enter, messageOf } from './api.ts';

/** Returns an element of login.html. */
function find<Type extends Element>(id: string, type: new () => Type): Type {
  const element = document.getElementById(id);
  if (element instanceof type) return element;
  throw new Error(`login.html has no #${id}`);
}

const token = find('token', HTMLInputElement);
token.focus();
const failure = find('failure', HTMLElement);

find('login', HTMLFormElement).addEventListener('submit', async (event) => {
  event.preventDefault();
  failure.textContent = '';
  try {
    await enter(token.value);
    location.reload();
  } catch (error) {
    failure.textContent = messageOf(error);
    token.select();
  }
});
