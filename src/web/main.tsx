import './theme.css';
import './frame.css';
import './now.css';
import './market-table.css';
import './heat.css';
import './tape.css';
import './alert-line.css';
import './market.css';
import './alerts.css';
import './rules.css';
import './level-chart.css';
import './posts.css';
import './record.css';
import './health.css';
import './connect.css';
import './chat.css';
import './card.css';
import './chart.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { unread } from './chat.tsx';
import { followRoom } from './events.ts';
import { receiveAlerts, replaceAlerts } from './held-alerts.ts';
import { connection, connectionRefusal, receiveBoardPatch, receiveHealth, replaceBoard } from './model.ts';
import { room } from './room.ts';
import { view } from './route.ts';
import { put } from './timeline.tsx';
import { language } from './words.ts';

const app = document.getElementById('app');
if (app !== null) render(<App />, app);

followRoom(room, {
  connection(state) {
    connection.value = state;
    if (state === 'open') connectionRefusal.value = undefined;
  },
  refused(reason) {
    connectionRefusal.value = reason;
  },
  // The room's settings were changed elsewhere: the page is loaded again in the new language.
  hello(given) {
    if (given.language !== language) location.reload();
  },
  health: receiveHealth,
  board: replaceBoard,
  'board.patch': receiveBoardPatch,
  alerts: replaceAlerts,
  alert: receiveAlerts,
  snapshot(messages) {
    for (const each of messages) put(each);
  },
  message(message) {
    const isNew = put(message);
    if (isNew && view.peek() !== 'chat' && !message.edited) unread.value += 1;
  },
});
