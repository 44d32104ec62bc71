import { second } from '../runtime/lengths.ts';
import { leave } from './api.ts';
import { awayText } from './away.ts';
import { cellTime } from './csv.ts';
import { DataChecks } from './data-checks.tsx';
import { State, Table } from './health-table.tsx';
import { type Health as BotHealth, health } from './model.ts';
import { asNumber } from './numbers.ts';
import { endPushing } from './push.ts';
import { access } from './room.ts';
import { Scrolls } from './tile.tsx';
import { age, momentOf } from './time.ts';
import { label, labelTitle, msg } from './words.ts';

interface HealthProblem {
  readonly what: string;
  readonly why?: string | undefined;
}

const staleFeed = ({ name, problem }: BotHealth['feeds'][number]): HealthProblem => ({
  what: msg('{feed} is stale', { feed: labelTitle(name) }),
  why: problem?.message,
});
const blindDetector = ({ name, problem }: BotHealth['detectors'][number]): HealthProblem => ({
  what: msg('{detector} has no data', { detector: labelTitle(name) }),
  ...(problem !== null && { why: problem.message }),
});

/** Returns what is wrong, worst first, without the consequences of problems that are listed already. */
function problemsOf(now: BotHealth): readonly HealthProblem[] {
  const { away, feeds, detectors, refused, outbox, roles, paused, clockAhead } = now;
  const stale = feeds.filter(({ fresh }) => !fresh);
  const blind = detectors.filter(({ problem }) => problem !== null);
  return [
    ...(away === undefined
      ? []
      : [
          {
            what: awayText(away),
            why: msg(
              '{feeds, plural, one {# feed} other {# feeds}} and {detectors, plural, one {# detector} other {# detectors}} wait for it',
              { feeds: stale.length, detectors: blind.length },
            ),
          },
        ]),
    ...(paused === undefined || paused === null ? [] : [{ what: msg('Sending is paused') }]),
    ...(refused ?? []).map(({ platform }) => ({
      what: msg('{platform} does not accept its token', { platform: labelTitle(platform) }),
    })),
    ...roles.filter(({ held }) => !held).map(({ role }) => ({ what: msg('Nobody does: {role}', { role }) })),
    ...(away === undefined ? [...stale.map(staleFeed), ...blind.map(blindDetector)] : []),
    ...(outbox.waiting > 100 ? [{ what: msg('{n} notifications wait', { n: waitingOf(outbox) }) }] : []),
    ...(clockAhead === undefined ? [] : [{ what: msg('This machine’s clock is wrong') }]),
  ];
}

const waitingOf = ({ waiting, more }: BotHealth['outbox']): string =>
  `${asNumber(waiting, 0)}${more === true ? '+' : ''}`;

function Budget({ now }: { readonly now: BotHealth }) {
  const { used, limit, reserved, window } = now.budget;
  return (
    <Table
      name={msg('Requests to the data service')}
      sheet={() => ({
        columns: [msg('Name'), msg('Value')],
        rows: [
          [msg('in the last {window}', { window: age(window) }), used],
          [label('limit'), limit],
          [msg('kept for people'), reserved],
        ],
      })}
    >
      <tr>
        <th scope="row">{msg('in the last {window}', { window: age(window) })}</th>
        <td>
          <meter min={0} max={limit} high={limit * 0.8} value={used} aria-label={msg('Requests used')} />
        </td>
        <td class="number">{msg('{used}/{limit} requests', { used, limit })}</td>
      </tr>
      <tr>
        <th scope="row">{msg('kept for people')}</th>
        <td />
        <td class="number">{reserved}</td>
      </tr>
    </Table>
  );
}

/** Ends the session, and with it the notifications: the next who uses this browser may be somebody else. */
async function signOut(): Promise<void> {
  await endPushing().catch(() => {});
  await leave().finally(() => location.reload());
}

/** Shows the role of the signed-in person and the button to sign out. */
function Access() {
  if (access !== 'operator' && access !== 'viewer') return null;
  return (
    <section class="tile" aria-label={msg('Access')}>
      <header>
        <h2>{msg('Access')}</h2>
      </header>
      <p class="access row">
        {access === 'operator'
          ? msg('You are here as operator: you may change everything.')
          : msg('You are here as viewer: you may look and ask, and change nothing.')}
        <button type="button" onClick={() => void signOut()}>
          {msg('Sign out')}
        </button>
      </p>
    </section>
  );
}

const freshText = (fresh: boolean): string => (fresh ? msg('fresh') : msg('stale'));
const dataText = (problem: object | null): string => (problem === null ? msg('has data') : msg('no data'));
const heldText = (held: boolean): string => (held ? msg('held') : msg('free'));

const feedSheet = (feeds: BotHealth['feeds']) => ({
  columns: [msg('Name'), `${msg('Age')} (s)`, msg('State')],
  rows: feeds.map(({ name, fresh, age: since }) => [
    labelTitle(name),
    since === undefined ? undefined : since / second,
    freshText(fresh),
  ]),
});
const detectorSheet = (detectors: BotHealth['detectors']) => ({
  columns: [msg('Name'), msg('Last run'), msg('State')],
  rows: detectors.map(({ name, lastRun, problem }) => [
    labelTitle(name),
    cellTime(lastRun),
    dataText(problem),
  ]),
});

/** Shows whether the bot works; problems come first. */
export function Health() {
  const now = health.value;
  if (now === undefined) return <p class="empty">{msg('Asking…')}</p>;
  const problems = problemsOf(now);
  const { feeds, detectors, outbox, roles, uptime, marketTime } = now;
  const oldest = outbox.oldest === null ? undefined : marketTime - outbox.oldest;
  return (
    <Scrolls name={msg('Health')}>
      <div class="health">
        <h2 class="hidden">{msg('Health')}</h2>
        <section
          class={problems.length === 0 ? 'verdict box good' : 'verdict box bad'}
          aria-label={msg('What is wrong')}
        >
          {problems.length === 0 ? (
            <p>
              {msg('All is well.')} <small>{msg('running for {age}', { age: age(uptime) })}</small>
            </p>
          ) : (
            <ul>
              {problems.map(({ what, why }) => (
                <li key={`${what} ${why}`}>
                  <b>{what}</b>
                  {why !== undefined && <span>{why}</span>}
                </li>
              ))}
            </ul>
          )}
        </section>
        <Table name={msg('Feeds')} sheet={() => feedSheet(feeds)}>
          {feeds.map(({ name, fresh, age: since }) => (
            <tr key={name}>
              <th scope="row">{labelTitle(name)}</th>
              <td class="number">
                {since === undefined ? msg('no data yet') : msg('{age} ago', { age: age(since) })}
              </td>
              <State good={fresh} text={freshText(fresh)} />
            </tr>
          ))}
        </Table>
        <Table name={msg('Detectors')} sheet={() => detectorSheet(detectors)}>
          {detectors.map(({ name, lastRun, problem }) => (
            <tr key={name}>
              <th scope="row">{labelTitle(name)}</th>
              <td class="number">{lastRun === null ? msg('no data yet') : momentOf(lastRun)}</td>
              <State good={problem === null} text={dataText(problem)} />
            </tr>
          ))}
        </Table>
        <DataChecks />
        <Budget now={now} />
        <Table
          name={msg('Outbox')}
          sheet={() => ({
            columns: [msg('Name'), msg('Value')],
            rows: [
              [msg('waiting'), waitingOf(outbox)],
              [`${msg('the oldest for')} (s)`, oldest === undefined ? undefined : oldest / second],
            ],
          })}
        >
          <tr>
            <th scope="row">{msg('waiting')}</th>
            <td class="number">{waitingOf(outbox)}</td>
            <State
              good={outbox.waiting <= 100}
              text={outbox.waiting <= 100 ? msg('in time') : msg('behind')}
            />
          </tr>
          <tr>
            <th scope="row">{msg('the oldest for')}</th>
            <td class="number">{oldest === undefined ? '–' : age(oldest)}</td>
            <td />
          </tr>
        </Table>
        <Access />
        <Table
          name={msg('Roles')}
          sheet={() => ({
            columns: [msg('Name'), msg('State')],
            rows: roles.map(({ role, held }) => [role, heldText(held)]),
          })}
        >
          {roles.map(({ role, held }) => (
            <tr key={role}>
              <th scope="row">{role}</th>
              <td />
              <State good={held} text={heldText(held)} />
            </tr>
          ))}
        </Table>
      </div>
    </Scrolls>
  );
}
