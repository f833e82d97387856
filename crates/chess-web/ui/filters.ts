// In: the filters in the address. Out: a sentence of chips that can be edited and removed, and the form that edits them.
import { CONTENTS, FILTERS, go, here, OF_LISTS, only, taken, url, without, withParams } from './address';
import { ApiError, fresh, keeps, send, takes } from './api';
import { completed } from './combobox';
import { button, type Child, fill, h, icon, iconButton, openDialog, say } from './dom';
import { resultWords } from './format';
import { meant, namesIn } from './names';

interface Chip {
  text: string;
  field: string;
  /** the filters without this one */
  rest: URLSearchParams;
}

const SPEEDS = ['ultraBullet', 'bullet', 'blitz', 'rapid', 'classical', 'correspondence'];
/** The filters that the form shows only if one of them is set. */
const MORE = ['whiteRating', 'blackRating', 'difference', 'length', ...CONTENTS];
/** For the attribute `pattern`, which browsers read with the flag v: a minus in a class must be escaped. */
const DATE = '\\d{4}([\\-\\/.]\\d{1,2}){0,2}';
/** Parameters that are ranges: their words, and what is counted. */
const RANGES: [string, string, string][] = [
  ['rating', 'rated', ''],
  ['whiteRating', 'White rated', ''],
  ['blackRating', 'Black rated', ''],
  ['difference', 'with a difference of', 'points'],
  ['length', 'of', 'moves'],
];
const either = (words: string[]) => words.join(words.length > 2 ? ', ' : ' or ');

/** The files that the games came from, by their numbers, as the server has listed them. */
const files = new Map<string, string>();
const fromSources = (numbers: string): string => {
  const names = numbers.split(',').map(number => files.get(number.trim()));
  return names.every(Boolean) ? `from ${either(names as string[])}` : 'from one load';
};

/** Asks for the names of files, unless they are known. Only servers that take games tell them. */
async function askFiles(): Promise<boolean> {
  const numbers = (here().params.get('source') ?? '').split(',').filter(Boolean);
  if (!takes() || numbers.every(number => files.has(number.trim()))) return false;
  const { sources } = await fresh<{ sources: { id: number; name: string }[] }>('/api/sources');
  for (const { id, name } of sources) files.set(String(id), name.split('/').pop()!);
  return true;
}

export function chips(params: URLSearchParams): Chip[] {
  const get = (name: string) => params.get(name)?.trim() || '';
  const list: Chip[] = [];
  const add = (text: string, keys: string[]) => list.push({ text, field: keys[0], rest: without(params, keys) });
  const color = { w: ' as White', b: ' as Black' }[get('color')[0]] ?? '';
  for (const [field, words, as] of [
    ['player', 'with ', color],
    ['white', 'White: ', ''],
    ['black', 'Black: ', ''],
  ]) {
    const names = namesIn(get(field));
    names.forEach((name, i) => {
      const others = names.filter((_, other) => other !== i).join('|');
      const rest = withParams(params, { [field]: others, color: field === 'player' && !others ? null : get('color') });
      list.push({ text: `${i ? 'or ' : words}${name}${i < names.length - 1 ? '' : as}`, field, rest });
    });
  }
  for (const [name, words, unit] of RANGES) {
    const [from, to] = get(name).split('-', 2);
    if (!get(name)) continue;
    const range = from && to ? `${from} to ${to}` : from ? `${from} or more` : `${to ?? get(name)} or less`;
    add([words, range, unit].filter(Boolean).join(' '), [name]);
  }
  if (get('opening')) add(`in the ${get('opening')}`, ['opening']);
  if (get('eco')) add(`of ECO ${get('eco')}`, ['eco']);
  if (get('site')) add(`played in ${get('site')}`, ['site']);
  const [since, until] = [get('since'), get('until')];
  if (since && until) add(since === until ? `in ${since}` : `from ${since} to ${until}`, ['since', 'until']);
  else if (since) add(`since ${since}`, ['since']);
  else if (until) add(`until ${until}`, ['until']);
  if (get('result'))
    add(
      either(
        get('result')
          .split(',')
          .map(r => resultWords[r] ?? r),
      ),
      ['result'],
    );
  if (get('event')) add(`at ${get('event')}`, ['event']);
  if (get('tc')) add(either(get('tc').split(',')), ['tc']);
  if (get('source')) add(fromSources(get('source')), ['source']);
  if (get('evals')) add('with evaluations', ['evals']);
  if (get('annotated')) add('with comments', ['annotated']);
  for (const name of CONTENTS) if (get(name)) add(`with ${get(name)}`, [name]);
  return list;
}

/** The same as a sentence, for titles and saved filters. */
export const sentence = (params: URLSearchParams): string => {
  const parts = chips(params).map(c => c.text);
  return parts.length ? `games ${parts.join(', ')}` : 'all games';
};

/** Reports have fewer filters than lists and the explorer. */
const reports = () => !/^\/(games|search|openings|$)/.test(here().pathname);
/** The page of a player filters his games by all but himself. */
const ofPlayer = () => here().pathname.startsWith('/player');
const ofEndings = () => here().pathname.startsWith('/endings');
/** The name and the days of a tournament say which games are its own. */
const ofTournament = () => here().pathname.startsWith('/tournament');

/** Whether a filter holds for what the page shows. */
function holds(field: string): boolean {
  const { pathname } = here();
  if (ofTournament()) return field === 'source';
  if (ofPlayer() && ['player', 'color'].includes(field)) return false;
  if (reports()) return !OF_LISTS.includes(field) && !(ofEndings() && field === 'pattern');
  // there it is what is searched for
  return !(pathname.startsWith('/search') && CONTENTS.includes(field));
}

/** Says which filters go along, but do not hold for what is shown. */
function idle(params: URLSearchParams): HTMLElement | null {
  const { pathname } = here();
  const list = chips(params).filter(({ field }) => !holds(field) && taken(pathname).includes(field));
  if (pathname === '/opening' && params.get('symmetries'))
    list.push({ text: 'symmetric positions', field: 'symmetries', rest: without(params, ['symmetries']) });
  const remove = ({ text, rest }: Chip) => h('a', { href: url(pathname, rest), 'aria-label': `Remove: ${text}` }, 'remove');
  return list.length
    ? h(
        'span',
        { class: 'quiet idle' },
        `${list.length > 1 ? 'Do' : 'Does'} not hold here: `,
        ...list.flatMap((chip, i) => [i ? ', ' : null, `${chip.text} `, remove(chip)]),
      )
    : null;
}

const change = (params: URLSearchParams) => go(url(here().pathname, without(params, ['after'])));

export function filterBar(criteria: Child[] = []): HTMLElement {
  const { params } = here();
  const list = chips(params).filter(chip => holds(chip.field));
  const bar: HTMLElement = h(
    'div',
    { class: 'filters', role: 'group', 'aria-label': 'Filters' },
    ofTournament() && !list.length ? null : h('span', { class: 'lead' }, list.length || criteria.length ? 'Games' : 'All games'),
    ...criteria,
    ...list.map(chip =>
      h(
        'span',
        { class: 'chip' },
        h('button', { type: 'button', title: 'Change this filter', on: { click: () => editFilters(chip.field) } }, chip.text),
        h(
          'button',
          {
            type: 'button',
            class: 'remove',
            'aria-label': `Remove: ${chip.text}`,
            title: 'Remove',
            on: { click: () => change(chip.rest) },
          },
          icon('close'),
        ),
      ),
    ),
    ofTournament()
      ? null
      : h(
          'button',
          { type: 'button', class: 'chip add', on: { click: () => editFilters('player') } },
          icon('plus'),
          list.length ? 'Filter' : 'Filter games',
        ),
    idle(params),
    meant(only(params, FILTERS.filter(holds)), (field, value) => change(withParams(params, { [field]: value }))),
  );
  askFiles().then(
    told => told && bar.isConnected && bar.replaceWith(filterBar(criteria)),
    // without names the filter still works
    () => {},
  );
  return bar;
}

/** Draws the filters of a view again whose answer stays, because none of those that hold has changed. */
export const redrawFilters = (view: HTMLElement): void => view.querySelector('.filters')?.replaceWith(filterBar());

/** A field for players: several are chips above the name that is being typed. */
function players(id: string, label: string, value: string): HTMLElement {
  const field = completed(id, label, '', 'players', 'Any spelling');
  const input = field.querySelector('input')!;
  const chosen = h('div', { class: 'filters' });
  const all = h('input', { type: 'hidden', name: id });
  const names = namesIn(value);
  const tell = () => {
    all.value = [...names, input.value.trim()].filter(Boolean).join('|');
    another.hidden = !input.value.trim();
  };
  const draw = () => {
    const remove = (at: number) => {
      names.splice(at, 1);
      draw();
      input.focus();
    };
    fill(
      chosen,
      names.map((name, at) =>
        h(
          'span',
          { class: 'chip' },
          h('span', null, name),
          iconButton('close', `Remove: ${name}`, () => remove(at), { class: 'remove' }),
        ),
      ),
      another,
    );
    tell();
  };
  const take = () => {
    names.push(...namesIn(input.value));
    input.value = '';
    draw();
    input.focus();
  };
  const another = button('Or another player', take, { class: 'plain' });
  input.value = names.pop() ?? '';
  input.removeAttribute('name');
  input.addEventListener('input', () => (input.value.includes('|') ? take() : tell()));
  draw();
  field.append(chosen, all);
  return field;
}

const field = (id: string, label: string, value: string, props: Record<string, unknown> = {}) =>
  h(
    'div',
    { class: 'field' },
    h('label', { for: id }, label),
    h('input', { id, name: id, value, autocomplete: 'off', ...props }),
  );

function choices(name: string, legend: string, all: [string, string][], chosen: string[], type = 'checkbox'): HTMLElement {
  return h(
    'fieldset',
    { class: 'choices' },
    h('legend', null, legend),
    ...all.map(([value, label]) =>
      h('label', null, h('input', { type, name, value, checked: chosen.includes(value) }), h('span', null, label)),
    ),
  );
}

export function editFilters(focus: string): void {
  const { params } = here();
  const value = (name: string) => params.get(name) ?? '';
  const range = (name: string, label: string, placeholder: string) => {
    const [from, to] = value(name).split('-', 2);
    const number = { inputmode: 'numeric', pattern: '\\d{1,4}' };
    return [
      field(`${name}-from`, `${label} from`, from, { ...number, placeholder }),
      field(`${name}-to`, 'to', to ?? '', { ...number, placeholder: 'any' }),
    ];
  };
  const form = h(
    'form',
    { class: 'filter-form' },
    ...(ofPlayer()
      ? []
      : [
          players('player', 'Player', value('player')),
          h(
            'div',
            { class: 'field' },
            h('label', { for: 'color' }, 'Colour'),
            h(
              'select',
              { id: 'color', name: 'color' },
              ...[
                ['', 'White or Black'],
                ['white', 'White'],
                ['black', 'Black'],
              ].map(([v, text]) => h('option', { value: v, selected: !!v && v[0] === value('color')[0] }, text)),
            ),
          ),
        ]),
    players('white', 'White', value('white')),
    players('black', 'Black', value('black')),
    ...range('rating', 'Average rating', '2200'),
    field('since', 'Played since', value('since'), { placeholder: '2015 or 2015-03', pattern: DATE }),
    field('until', 'until', value('until'), { placeholder: '2026', pattern: DATE }),
    completed('event', 'Event', value('event'), 'events'),
    ...(reports()
      ? []
      : [
          completed('site', 'Place', value('site'), 'sites'),
          completed('opening', 'Opening', value('opening'), 'openings', 'Najdorf'),
          field('eco', 'ECO code', value('eco'), { pattern: '[A-Ea-e]\\d{0,2}', placeholder: 'B90, B9 or B' }),
        ]),
    h(
      'details',
      { class: 'wide', open: MORE.some(name => value(name)) },
      h(
        'summary',
        null,
        reports() ? `More: material${ofEndings() ? '' : ', pattern'}` : 'More: each side’s rating, length, material, pattern',
      ),
      h(
        'div',
        { class: 'filter-form' },
        ...(reports()
          ? []
          : [
              ...range('whiteRating', 'White’s rating', '2500'),
              ...range('blackRating', 'Black’s rating', 'any'),
              ...range('difference', 'Difference of ratings', '200'),
              ...range('length', 'Length in moves', '10'),
            ]),
        field('material', 'With the material', value('material'), { placeholder: 'KRPvKR' }),
        ofEndings()
          ? h('input', { type: 'hidden', name: 'pattern', value: value('pattern') })
          : field('pattern', 'With the pattern', value('pattern'), { class: 'code', placeholder: 'Nd5' }),
      ),
    ),
    choices(
      'result',
      'Result',
      [
        ['', 'any'],
        ['1-0', '1–0'],
        ['1/2-1/2', '½–½'],
        ['0-1', '0–1'],
        ['*', 'none'],
      ],
      [value('result')],
      'radio',
    ),
    choices(
      'tc',
      'Time control',
      SPEEDS.map(s => [s, s] as [string, string]),
      value('tc').split(','),
    ),
    choices(
      'with',
      'Only games with',
      [['evals', 'evaluations'], ...(reports() ? [] : [['annotated', 'comments'] as [string, string]])],
      ['evals', 'annotated'].filter(k => value(k)),
    ),
    h('input', { type: 'hidden', name: 'source', value: value('source') }),
    h(
      'div',
      { class: 'actions' },
      button('Clear all', () => finish(new FormData()), { class: 'plain' }),
      h('button', { type: 'submit', class: 'primary' }, 'Show games'),
    ),
  );
  const saved = h('div', { class: 'saved' });
  const dialog = openDialog('Filter games', { class: 'sheet' }, form, saved);
  const finish = (data: FormData) => {
    const text = (name: string) => String(data.get(name) ?? '').trim();
    const range = (name: string) => {
      const [from, to] = [text(`${name}-from`), text(`${name}-to`)];
      return from || to ? `${from}-${to}` : '';
    };
    const changes: Record<string, string> = {
      player: text('player'),
      color: text('player') ? text('color') : '',
      white: text('white'),
      black: text('black'),
      rating: range('rating'),
      since: text('since'),
      until: text('until'),
      event: text('event'),
      result: text('result'),
      tc: data.getAll('tc').join(','),
      evals: data.getAll('with').includes('evals') ? '1' : '',
      annotated: data.getAll('with').includes('annotated') ? '1' : '',
    };
    for (const name of ['source', ...CONTENTS]) changes[name] = text(name);
    if (!reports()) {
      for (const name of ['site', 'opening', 'eco']) changes[name] = text(name);
      for (const name of ['whiteRating', 'blackRating', 'difference', 'length']) changes[name] = range(name);
    }
    dialog.close();
    change(withParams(here().params, changes));
  };
  form.addEventListener('submit', event => {
    event.preventDefault();
    finish(new FormData(form));
  });
  const id = RANGES.some(([name]) => name === focus) ? `${focus}-from` : focus;
  const target = form.querySelector<HTMLElement>(`#${CSS.escape(id)}, [name="${CSS.escape(id)}"]`);
  target?.focus();
  if (keeps()) void showSaved(saved, () => dialog.close());
}

interface View {
  id: string | number;
  name: string;
  url: string;
}

async function showSaved(place: HTMLElement, close: () => void): Promise<void> {
  let views: View[] = [];
  // of a search they are what is searched for
  const names = here().pathname.startsWith('/search') ? FILTERS : [...FILTERS, ...CONTENTS];
  const draw = () => {
    const filters = only(here().params, names);
    const name = h('input', { id: 'view-name', value: chips(filters).length ? sentence(filters) : '', maxlength: '100' });
    fill(
      place,
      h('h3', null, 'Saved filters'),
      views.length ? null : h('p', { class: 'quiet' }, 'None yet.'),
      h(
        'ul',
        null,
        ...views.map(view =>
          h(
            'li',
            null,
            h(
              'button',
              {
                type: 'button',
                class: 'plain',
                on: {
                  click: () => {
                    close();
                    change(
                      new URLSearchParams([
                        ...without(here().params, names),
                        ...only(new URL(view.url, location.origin).searchParams, names),
                      ]),
                    );
                  },
                },
              },
              view.name,
            ),
            iconButton('trash', `Delete ${view.name}`, async () => {
              try {
                await send('DELETE', `/api/views/${encodeURIComponent(view.id)}`);
                views = views.filter(v => v !== view);
                draw();
              } catch (error) {
                say((error as Error).message);
              }
            }),
          ),
        ),
      ),
      chips(filters).length
        ? h(
            'form',
            {
              class: 'inline',
              on: {
                submit: async (event: Event) => {
                  event.preventDefault();
                  try {
                    await send('POST', '/api/views', { name: name.value.trim() || sentence(filters), url: url('/', filters) });
                    await load();
                  } catch (error) {
                    say((error as Error).message);
                  }
                },
              },
            },
            h('label', { for: 'view-name' }, 'Save these as'),
            name,
            h('button', { type: 'submit' }, 'Save'),
          )
        : null,
    );
  };
  const load = async () => {
    views = (await fresh<{ views: View[] }>('/api/views')).views;
    draw();
  };
  try {
    await load();
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) fill(place, h('p', { class: 'quiet' }, (error as Error).message));
  }
}
