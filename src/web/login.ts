import './theme.css';
import './login.css';
import { enter } from './api.ts';
import { find } from './dom.ts';

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
    failure.textContent = error instanceof Error ? error.message : String(error);
    token.select();
  }
});
