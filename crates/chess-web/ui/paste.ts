// In: games as text, typed, pasted, chosen or dropped as a file. Out: what is read of them.
import { button, type Child, h, openDialog, say } from './dom';
import { fillFrom, pgnField } from './field';
import { readGames, type Tree } from './tree';
import { t } from './words';

/** Asks for games. The dialog stays until they are read, so that nothing typed is lost; once it is closed, nothing follows. */
export function askGames<T>(
  title: string,
  label: string,
  words: Child,
  read: (text: string) => Promise<T>,
  take: (found: T) => void,
): void {
  const area = pgnField(12);
  const file = h('input', {
    type: 'file',
    accept: '.pgn',
    'aria-label': t`A file`,
    on: { change: () => void fillFrom(area, [...file.files!]) },
  });
  const load = async () => {
    try {
      const found = await read(area.value.trim());
      if (!dialog.open) return;
      dialog.close();
      take(found);
    } catch (error) {
      if (dialog.open) say((error as Error).message);
    }
  };
  const dialog = openDialog(
    title,
    { class: 'wide' },
    words,
    area,
    h('div', { class: 'actions' }, file, button(label, load, { class: 'primary' })),
  );
  area.focus();
}

/** The games of a text; an error if none of them can be read. */
export async function gamesOf(text: string): Promise<Tree[]> {
  const games = await readGames(text);
  if (games.some(game => game.nodes.length > 1 || !game.problem)) return games;
  // a text without tags and moves is no game
  const [problem] = games.flatMap(game => (game.headers.size ? game.problem : []));
  throw new Error(problem ? t`Game ${1} cannot be read: ${problem}.` : t`There are no moves in this text.`);
}
