import type { ComponentChildren } from 'preact';
import type { CardJson } from '../card/render-json.ts';
import { stretchesOf, through } from '../chart/paths.ts';
import { Links } from './card.tsx';
import { level, series } from './draft.ts';
import { boundsOf } from './level-scale.ts';
import { momentOf } from './time.ts';
import { labelTitle, msg } from './words.ts';

/** Draws a small preview of a post's chart: the line and the level. */
function Picture() {
  const points = series.value?.points ?? [];
  const window = series.value?.window ?? { from: 0, to: 1 };
  const values = points.flatMap(([, value]) => value ?? []);
  if (values.length < 2) return null;
  const [low, high] = boundsOf(values, level.value);
  const x = (at: number) => ((at - window.from) / (window.to - window.from)) * 300;
  const y = (value: number) => 96 - ((value - low) / (high - low)) * 92;
  return (
    <svg class="picture" viewBox="0 0 300 100" preserveAspectRatio="none" aria-hidden="true">
      <path
        d={stretchesOf(points, { x, y })
          .map((places) => through(places))
          .join('')}
      />
      <line x1="0" x2="300" y1={y(level.value)} y2={y(level.value)} />
    </svg>
  );
}

function footerOf({ dataTime, source, timeZone }: CardJson): string {
  const time = dataTime && msg('as of {time}', { time: momentOf(Date.parse(dataTime), timeZone) });
  return [time, source].filter(Boolean).join(' · ');
}

const badges = { critical: '🔴', warning: '🟠', info: '🔵' } as const;

interface Shown {
  readonly card: CardJson;
  /** The colour that was chosen; absent: a draft of an own alert is shown, with its chart. */
  readonly color?: string | undefined;
}

function Discord({ card, color }: Shown) {
  const { severity, status, summary = '', facts = [], links = [] } = card;
  const about = [severity, status]
    .flatMap((each) => (each === undefined ? [] : [labelTitle(each)]))
    .join(', ');
  return (
    <Post name="Discord">
      <p class="sender">
        <b>Tocsin</b> <i>APP</i>
      </p>
      <div class="embed" data-severity={severity} style={color ? { borderColor: color } : undefined}>
        {about !== '' && <p class="author">{about}</p>}
        <p class="title">{card.title}</p>
        {summary !== '' && <p class="description">{summary}</p>}
        <dl>
          {facts.map(({ name, value }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        {links.length > 0 && <Links links={links} />}
        {color === undefined && <Picture />}
        <p class="foot">{footerOf(card)}</p>
      </div>
      <Keys of={card} />
    </Post>
  );
}

function Telegram({ card, color }: Shown) {
  const { severity, summary = '', facts = [], links = [] } = card;
  return (
    <Post name="Telegram">
      <div class="bubble">
        {color === undefined && <Picture />}
        <p class="title">
          {severity !== undefined && `${badges[severity]} `}
          {card.title}
        </p>
        {summary !== '' && <p>{summary}</p>}
        {facts.map(({ name, value }) => (
          <p key={name}>
            <b>{name}</b>: {value}
          </p>
        ))}
        {links.length > 0 && <Links links={links} />}
        <p class="foot">{footerOf(card)}</p>
      </div>
      <Keys of={card} />
    </Post>
  );
}

/** Shows the buttons of a previewed post, which do nothing: what opens a page stands behind the first. */
function Keys({ of: { links = [], actions = [] } }: { readonly of: CardJson }) {
  const [first, ...rest] = actions.map(({ label }) => label);
  const labels = [first, ...links.map(({ button }) => button), ...rest];
  return <ul class="keys">{labels.map((label) => label !== undefined && <li key={label}>{label}</li>)}</ul>;
}

const Post = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  <figure class={`post ${name.toLowerCase()}`}>
    <figcaption>{msg('In {platform}', { platform: name })}</figcaption>
    <div class="screen">{children}</div>
  </figure>
);

/** Previews the alert's post on Discord and Telegram from its card. */
export const Posts = (shown: Shown) => (
  <section class="posts" aria-label={msg('How it will look')}>
    <Discord {...shown} />
    <Telegram {...shown} />
  </section>
);
