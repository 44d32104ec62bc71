import { leave, readPlaces } from './api.ts';
import { useAsked } from './asked.ts';
import { room } from './room.ts';
import { msg } from './words.ts';

const leavePage = () => void leave().finally(() => location.assign('/'));

/** The chats of a member who signed in: the one that the page is about, and the others. */
export function Places() {
  const { answer: places = [] } = useAsked(readPlaces, {});
  const isListed = places.some((each) => each.room === room);
  return (
    <span class="own-chats">
      <select
        aria-label={msg('Chat that this page is about')}
        value={room}
        onChange={({ currentTarget }) =>
          location.assign(`${location.pathname}?${new URLSearchParams({ room: currentTarget.value })}`)
        }
      >
        {!isListed && <option value={room}>{room}</option>}
        {places.map(({ room: of, name, manages }) => (
          <option key={of} value={of}>
            {manages ? name : msg('{chat} (you may look and ask)', { chat: name })}
          </option>
        ))}
      </select>
      <button type="button" onClick={leavePage}>
        {msg('Sign out')}
      </button>
    </span>
  );
}
