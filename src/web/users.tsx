import type { SettingRow } from '../platforms/web/ports/settings-desk.ts';
import { readSettings } from './api.ts';
import { useAsked } from './asked.ts';
import { linkTo } from './route.ts';
import { settings, sourceWord } from './settings.tsx';
import { msg } from './words.ts';

/** The persons that a setting lists, which is shown as JSON. */
function personsIn(row: SettingRow | undefined): readonly string[] {
  try {
    const listed: unknown = JSON.parse(row?.shown || '[]');
    return Array.isArray(listed) ? listed.map(String) : [];
  } catch {
    return [];
  }
}

interface UserRow {
  readonly name: string;
  readonly may: string;
  /** The setting that says so; undefined: the platforms do. */
  readonly setting?: SettingRow | undefined;
}

function usersOf(all: readonly SettingRow[]): readonly UserRow[] {
  const find = (path: string) => all.find((row) => row.path === path);
  const [token, viewerToken, operators] = ['http.token', 'http.viewerToken', 'operators'].map(find);
  const persons = personsIn(operators);
  return [
    {
      name: token?.shown ? msg('Whoever has the page’s token') : msg('Everybody who reaches the page'),
      may: msg('everything: connect, change settings, make keys'),
      setting: token,
    },
    {
      name: msg('Whoever has the viewer’s token'),
      may: viewerToken?.shown ? msg('look and ask, and change nothing') : msg('nobody: no such token is set'),
      setting: viewerToken,
    },
    {
      name: persons.length === 0 ? msg('Operators in chats: nobody') : persons.join(', '),
      may: msg('pause all sending, and what concerns the whole bot'),
      setting: operators,
    },
    {
      name: msg('Who manages a chat: "Manage Server" on Discord, administrators on Telegram'),
      may: msg('what this chat gets, and its settings'),
    },
    {
      name: msg('Everybody else in a chat'),
      may: msg('ask, and his own markets, language and time zone'),
    },
  ];
}

/** Shows who may do what, as the settings and the platforms say it. */
export function Users() {
  const { answer: all, failure } = useAsked(readSettings, { last: settings });
  if (all === undefined) return <p class="empty waiting">{failure ?? msg('Asking…')}</p>;
  return (
    <>
      <h2>{msg('Who may do what')}</h2>
      <ul class="places">
        {usersOf(all).map(({ name, may, setting }) => (
          <li key={name} class="box">
            <h3>{name}</h3>
            <p class="gets">{may}</p>
            {setting !== undefined && (
              <p>
                <a {...linkTo('/settings')}>
                  <code>{setting.path}</code>
                </a>{' '}
                <small data-source={setting.source}>{sourceWord[setting.source]}</small>
              </p>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
