import { Connect } from './connect.tsx';
import { DestinationList } from './destinations.tsx';
import { KeyList } from './keys.tsx';
import { linkTo, type SetUpView, setUpView, setUpViews } from './route.ts';
import { Settings } from './settings.tsx';
import { Scrolls } from './tile.tsx';
import { Users } from './users.tsx';
import { msg } from './words.ts';

const nameOf: Readonly<Record<SetUpView, string>> = {
  connect: msg('Chats'),
  destinations: msg('Destinations'),
  settings: msg('Settings'),
  keys: msg('Users and keys'),
};

/** What an operator sets up: chats, where alerts go, and the settings. */
export function SetUp() {
  const shown = setUpView.value;
  return (
    <Scrolls name={nameOf[shown]}>
      <div class={`connect ${shown}`}>
        <nav class="parts row" aria-label={msg('Set up')}>
          {setUpViews.map((each) => (
            <a key={each} {...linkTo(`/${each}`)} aria-current={each === shown ? 'page' : undefined}>
              {nameOf[each]}
            </a>
          ))}
        </nav>
        {shown === 'connect' && <Connect />}
        {shown === 'destinations' && <DestinationList />}
        {shown === 'settings' && <Settings />}
        {shown === 'keys' && <Users />}
        {shown === 'keys' && <KeyList />}
      </div>
    </Scrolls>
  );
}
