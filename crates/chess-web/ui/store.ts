// In: a game as a tree, and the stored game that it began with, if there is one. Out: the game in the database, as a new one or in
// the place of that one, which is kept; and what a changed game was before, brought back.
import { ApiError, forget, fresh, send, type WholeGame } from './api';
import { completed } from './combobox';
import { button, fill, h, openDialog, say, submitted } from './dom';
import { date, resultWords } from './format';
import { treeOfGame, writeTag } from './tree';
import { addFiles } from './view';
import { t } from './words';

interface Correction {
  /** this visitor may replace the game */
  allowed: boolean;
  version: string;
  /** when it was changed last */
  changed: string | null;
}
const changedOn = (day: string): string => t`Changed on ${date(day.slice(0, 10))}.`;
const path = (id: string): string => `/api/corrections/${encodeURIComponent(id)}`;
/** The server takes no longer game, with its new tags, in characters (src/api/corrections.rs). */
const LONGEST = 1_000_000 - 2_000;

/** The tags that a form asks for, and where the server completes their values. */
const TAGS: [tag: string, label: string, completedBy?: string][] = [
  ['White', t`White`, 'players'],
  ['Black', t`Black`, 'players'],
  ['WhiteElo', t`Rating of White`],
  ['BlackElo', t`Rating of Black`],
  ['Event', t`Event`, 'events'],
  ['Round', t`Round`],
  ['Site', t`Place`, 'sites'],
  ['Date', t`Date`],
];
const DATE = /^(?:\d{4}|\?{4})(?:\.(?:\d\d|\?\?)){0,2}$/;

/** What is wrong with the values that were changed; undefined if nothing is. */
function wrong(changes: Map<string, string>): string | undefined {
  const day = changes.get('Date');
  if (day && !DATE.test(day)) return t`The date is a year, a month or a day, such as 1972, 1972.07 or 1972.07.11.`;
  for (const of of ['White', 'Black']) {
    const rating = changes.get(`${of}Elo`);
    if (rating && !/^\d{1,4}$/.test(rating))
      return of === 'White' ? t`The rating of White is a number.` : t`The rating of Black is a number.`;
  }
  return undefined;
}

/** The PGN of a stored game with other values of some tags; an empty one removes its tag. All else stays as it is. */
export function retagged({ pgn, game }: Pick<WholeGame, 'pgn' | 'game'>, changes: Map<string, string>): string {
  const kept = game.tags.filter(([name]) => !changes.has(name));
  const tags = [...changes].filter(([, text]) => text).concat(kept);
  let moves = pgn.slice(pgn.indexOf('\n\n'));
  const result = changes.get('Result');
  if (result) moves = moves.replace(/(?:1-0|0-1|1\/2-1\/2|\*)(\s*)$/, (_, rest: string) => result + rest);
  return tags.map(([name, text]) => writeTag(name, text)).join('') + moves.slice(1);
}

/** A game in words. */
function named({ game }: WholeGame): string {
  const of = treeOfGame(game).headers;
  const players = ['White', 'Black'].map(color => of.get(color) ?? '?').join(' – ');
  return [players, date(of.get('Date'))].filter(Boolean).join(', ');
}

/** The stored game and whether it may be replaced; undefined if it is gone. */
async function stored(id: string): Promise<[Correction, WholeGame] | undefined> {
  try {
    // The version is read first: if the game changes before it is read, the server refuses the older version.
    const correction = await fresh<Correction>(path(id));
    return [correction, await fresh<WholeGame>(`/api/games/${encodeURIComponent(id)}`)];
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/**
 * Asks for names, date and result, and saves the game with these tags. `write` gives its PGN with the tags that were changed;
 * `stored` is the game whose place it may take, and takes by default if it only `corrects` that game. `saved` is called when it is
 * saved, and says whether it has taken that place.
 */
export async function store(
  given: Map<string, string>,
  origin: string,
  write: (changes: Map<string, string>, stored?: WholeGame) => string,
  saved: (changes: Map<string, string>, replaced: boolean) => void,
  signal: AbortSignal,
  corrects = false,
): Promise<void> {
  const before = origin ? await stored(origin) : undefined;
  // The view was left while the server answered.
  if (signal.aborted) return;
  const [correction, game] = before ?? [];
  const headers = corrects && game ? treeOfGame(game.game).headers : given;
  const value = (tag: string) => (/^[?*.-]*$/.test(headers.get(tag) ?? '') ? '' : headers.get(tag)!);
  const fields = TAGS.map(([tag, label, by]) =>
    by
      ? completed(`tag-${tag}`, label, value(tag), by)
      : h(
          'div',
          { class: 'field' },
          h('label', { for: `tag-${tag}` }, label),
          h('input', {
            id: `tag-${tag}`,
            name: `tag-${tag}`,
            value: value(tag),
            autocomplete: 'off',
            placeholder: tag === 'Date' ? '1972.07.11' : '',
          }),
        ),
  );
  const was = headers.get('Result') ?? '*';
  // such as 0-0
  const results = Object.entries(Object.hasOwn(resultWords, was) ? resultWords : { [was]: was, ...resultWords });
  const result = h(
    'select',
    { id: 'tag-Result' },
    ...results.map(([of, words]) => h('option', { value: of, selected: of === was }, words)),
  );
  const byDefault = corrects && !!correction?.allowed;
  const place = h('input', { type: 'radio', name: 'place', id: 'in-place', checked: byDefault });
  const anew = h('input', { type: 'radio', name: 'place', id: 'as-new', checked: !byDefault });
  const error = h('p', { class: 'error', role: 'alert' });
  const save = async (): Promise<void> => {
    const changes = new Map<string, string>();
    for (const [tag] of TAGS) {
      const typed = form.querySelector<HTMLInputElement>(`#tag-${tag}`)!.value.trim();
      const now = tag === 'Date' ? typed.replaceAll('-', '.') : typed;
      if (now !== value(tag)) changes.set(tag, now);
    }
    if (result.value !== was) changes.set('Result', result.value);
    error.textContent = wrong(changes) ?? '';
    if (error.textContent) return;
    try {
      const replaces = place.checked && !!correction && !!game;
      if (replaces) {
        await send('PUT', path(origin), { pgn: write(changes, game), version: correction.version });
        forget();
        say(t`Saved. What the game was before is kept.`);
      } else {
        const names = ['White', 'Black'].map(tag => changes.get(tag) ?? (value(tag) || '?')).join(' – ');
        await addFiles([new File([write(changes, game)], `${names.replaceAll('/', '-')}.pgn`)]);
      }
      dialog.close();
      saved(changes, replaces);
    } catch (failed) {
      error.textContent = [(failed as Error).message, failed instanceof ApiError && failed.hint].filter(Boolean).join(': ');
    }
  };
  const form = h(
    'form',
    {
      on: {
        input: () => {
          error.textContent = '';
        },
        submit: submitted(save),
      },
    },
    h(
      'div',
      { class: 'tag-fields' },
      ...fields,
      h('div', { class: 'field' }, h('label', { for: 'tag-Result' }, t`Result`), result),
    ),
    correction?.allowed
      ? h(
          'fieldset',
          { class: 'choices' },
          h('legend', null, t`Save it`),
          h('label', null, place, t`in the place of ${game ? named(game) : ''}`),
          // perhaps since the board began with it
          correction.changed ? h('p', { class: 'quiet' }, changedOn(correction.changed)) : null,
          h('label', null, anew, t`as a new game`),
        )
      : origin
        ? h('p', { class: 'quiet' }, t`It becomes a new game: only whoever added the original may replace it.`)
        : null,
    error,
    h('div', { class: 'actions' }, h('button', { type: 'submit', class: 'primary' }, t`Save to the database`)),
  );
  const dialog = openDialog(t`Save to the database`, { class: 'wide' }, form);
}

/**
 * Fills the places beside a game: a button that corrects it, and when it was changed, with a way back; nothing where visitors may
 * not. `changed` is called when the game is another one.
 */
export async function showCorrections(
  game: WholeGame,
  places: { correct: HTMLElement; told: HTMLElement },
  changed: () => void,
  signal: AbortSignal,
): Promise<void> {
  const found = await fresh<Correction>(path(game.id), signal);
  const failed = (error: unknown) => say((error as Error).message);
  const renew = () => {
    forget();
    if (!signal.aborted) changed();
  };
  const correct = () =>
    store(
      new Map(),
      game.id,
      (changes, now) => retagged(now ?? game, changes),
      (_, replaced) => replaced && renew(),
      signal,
      true,
    ).catch(failed);
  // The rest of a game that could not be read would be lost.
  if (found.allowed && !game.error && game.pgn.length < LONGEST)
    fill(places.correct, button(t`Correct`, correct, { title: t`Correct names, date and result` }));
  if (!found.changed) return;
  const back = () => {
    if (confirm(t`Bring back what this game was before it was changed last?`))
      // the version of the game that is shown, which another correction may have followed
      send('DELETE', `${path(game.id)}?version=${game.version}`).then(renew, error => {
        failed(error);
        if (error instanceof ApiError && error.status === 409) renew();
      });
  };
  fill(
    places.told,
    changedOn(found.changed),
    ' ',
    found.allowed ? button(t`Undo`, back, { class: 'plain', title: t`Bring back what it was before` }) : null,
  );
}
