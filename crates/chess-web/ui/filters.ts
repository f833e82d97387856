// In: the filters in the address. Out: a sentence of chips that can be edited and removed, and the form that edits them.
import { CONTENTS, FILTERS, go, here, OF_LISTS, only, taken, url, without, withParams } from './address';
import { ApiError, fresh, keeps, send, takes } from './api';
import { completed } from './combobox';
import { button, type Child, fill, h, icon, iconButton, openDialog, say, submitted } from './dom';
import { asName, resultWords } from './format';
import { meant, namesIn } from './names';
import { create } from './sessions';
import { either, served, t } from './words';

interface Chip {
  text: string;
  field: string;
  /** the filters without this one */
  rest: URLSearchParams;
}

const SPEEDS = ['ultraBullet', 'bullet', 'blitz', 'rapid', 'classical', 'correspondence', 'unknown'];
/** The filters that the form shows only if one of them is set. */
const MORE = ['whiteRating', 'blackRating', 'difference', 'length', ...CONTENTS];
/** For the attribute `pattern`, which browsers read with the flag v: a minus in a class must be escaped. */
const DATE = '\\d{4}([\\-\\/.]\\d{1,2}){0,2}';
/** Parameters that are ranges, and their words. */
const RANGES: [string, (range: string) => string][] = [
  ['rating', range => t`rated ${range}`],
  ['whiteRating', range => t`White rated ${range}`],
  ['blackRating', range => t`Black rated ${range}`],
  ['difference', range => t`with a difference of ${range} points`],
  ['length', range => t`of ${range} moves`],
];
const listed = (words: string[]): string => (words.length > 2 ? words.join(', ') : either(words));

/** The files that the games came from, by their numbers, as the server has listed them. */
const files = new Map<string, string>();
const fromSources = (numbers: string): string => {
  const names = numbers.split(',').map(number => files.get(number.trim()));
  return names.every(Boolean) ? t`from ${listed(names as string[])}` : t`from one load`;
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
  const color = get('color')[0];
  const player = (text: string) => (color === 'w' ? t`${text} as White` : color === 'b' ? t`${text} as Black` : text);
  for (const [field, words, all] of [
    ['player', name => t`with ${name}`, player],
    ['white', name => t`White: ${name}`, text => text],
    ['black', name => t`Black: ${name}`, text => text],
  ] as [string, (name: string) => string, (text: string) => string][]) {
    const names = namesIn(get(field));
    names.forEach((name, i) => {
      const others = names.filter((_, other) => other !== i).join('|');
      const rest = withParams(params, { [field]: others, color: field === 'player' && !others ? null : get('color') });
      const text = i ? t`or ${name}` : words(name);
      list.push({ text: i < names.length - 1 ? text : all(text), field, rest });
    });
  }
  for (const [name, words] of RANGES) {
    const [from, to] = get(name).split('-', 2);
    if (!get(name)) continue;
    const range = from && to ? t`${from} to ${to}` : from ? t`${from} or more` : t`${to ?? get(name)} or less`;
    add(words(range), [name]);
  }
  if (get('opening')) add(t`in the ${get('opening')}`, ['opening']);
  if (get('eco')) add(t`of ECO ${get('eco')}`, ['eco']);
  if (get('site')) add(t`played in ${get('site')}`, ['site']);
  const [since, until] = [get('since'), get('until')];
  if (since && until) add(since === until ? t`in ${since}` : t`from ${since} to ${until}`, ['since', 'until']);
  else if (since) add(t`since ${since}`, ['since']);
  else if (until) add(t`until ${until}`, ['until']);
  if (get('result'))
    add(
      listed(
        get('result')
          .split(',')
          .map(r => resultWords[r] ?? r),
      ),
      ['result'],
    );
  if (get('event')) add(t`at ${get('event')}`, ['event']);
  if (get('tc')) add(listed(get('tc').split(',').map(served)), ['tc']);
  if (get('source')) add(fromSources(get('source')), ['source']);
  if (get('evals')) add(t`with evaluations`, ['evals']);
  if (get('annotated')) add(t`with comments`, ['annotated']);
  for (const name of CONTENTS) if (get(name)) add(t`with ${get(name)}|contents`, [name]);
  return list;
}

/** The same as a sentence, for titles and saved filters. */
export const sentence = (params: URLSearchParams): string => {
  const parts = chips(params).map(c => c.text);
  return parts.length ? t`games ${parts.join(', ')}` : t`all games`;
};

/** Reports have fewer filters than lists and the explorer. */
const reports = () => !/^\/(games|search|openings|play$|$)/.test(here().pathname);
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

/** What is searched for beside material and patterns, in words. */
const CRITERION: [string[], (params: URLSearchParams) => string][] = [
  [
    ['fen', 'play', 'symmetries'],
    params =>
      params.get('symmetries')
        ? t`that reach this position, or one that differs only by a symmetry`
        : t`that reach this position`,
  ],
  [['near'], () => t`nearest to this position`],
  [
    ['pieces', 'exact'],
    params => (params.get('exact') ? t`with exactly these pieces on the board` : t`with these pieces on the board`),
  ],
];

const asked = (params: URLSearchParams) => CRITERION.filter(([keys]) => keys.some(key => params.get(key)));

/** Where what is searched for can be changed. */
const changing = (params: URLSearchParams, keys: string[]): string =>
  keys.includes('near') ? url('/', new URLSearchParams({ fen: params.get('near')! })) : url('/search', params);

/** Views in which that is a filter among the others; in the search it is what the form is about. */
const placed = () => /^\/(games|player|endings)/.test(here().pathname);

function criteriaChips(shown: URLSearchParams): Child[] {
  const params = reports() ? without(shown, ['near', 'symmetries']) : shown;
  // the path of the page names the player
  const search = ofPlayer() ? withParams(shown, { player: here().path[1], with: null }) : shown;
  return asked(params).map(([keys, text]) =>
    h(
      'span',
      { class: 'chip' },
      h('button', { type: 'button', title: t`Change the search`, on: { click: () => go(changing(search, keys)) } }, text(params)),
      h(
        'button',
        {
          type: 'button',
          class: 'remove',
          'aria-label': t`Remove: ${text(params)}`,
          title: t`Remove`,
          on: { click: () => change(without(shown, keys)) },
        },
        icon('close'),
      ),
    ),
  );
}

/** Says which filters go along, but do not hold for what is shown. */
function idle(params: URLSearchParams): HTMLElement | null {
  const { pathname } = here();
  const list = chips(params).filter(({ field }) => !holds(field) && taken(pathname).includes(field));
  if (ofTournament())
    for (const [keys, text] of asked(without(params, ['near'])))
      list.push({ text: text(params), field: keys[0], rest: without(params, keys) });
  else if ((pathname === '/opening' || ofPlayer() || ofEndings()) && params.get('symmetries'))
    list.push({ text: t`symmetric positions`, field: 'symmetries', rest: without(params, ['symmetries']) });
  const remove = ({ text, rest }: Chip) => h('a', { href: url(pathname, rest), 'aria-label': t`Remove: ${text}` }, t`remove`);
  return list.length
    ? h(
        'span',
        { class: 'quiet idle' },
        list.length > 1 ? t`Do not hold here:` : t`Does not hold here:`,
        ...list.flatMap((chip, i) => [i ? ', ' : ' ', `${chip.text} `, remove(chip)]),
      )
    : null;
}

const change = (params: URLSearchParams) => go(url(here().pathname, without(params, ['after'])));

export function filterBar(): HTMLElement {
  const { params } = here();
  const criteria = placed() ? criteriaChips(params) : [];
  const list = chips(params).filter(chip => holds(chip.field));
  const bar: HTMLElement = h(
    'div',
    { class: 'filters', role: 'group', 'aria-label': t`Filters` },
    ofTournament() && !list.length
      ? null
      : h('span', { class: 'lead' }, list.length || criteria.length ? t`Games` : t`All games`),
    ...criteria,
    ...list.map(chip =>
      h(
        'span',
        { class: 'chip' },
        h('button', { type: 'button', title: t`Change this filter`, on: { click: () => editFilters(chip.field) } }, chip.text),
        h(
          'button',
          {
            type: 'button',
            class: 'remove',
            'aria-label': t`Remove: ${chip.text}`,
            title: t`Remove`,
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
          list.length ? t`Filter` : t`Filter games`,
        ),
    idle(params),
    meant(only(params, FILTERS.filter(holds)), (field, value) => change(withParams(params, { [field]: value }))),
  );
  askFiles().then(
    told => told && bar.isConnected && bar.replaceWith(filterBar()),
    // without names the filter still works
    () => {},
  );
  return bar;
}

/** Draws the filters of a view again whose answer stays, because none of those that hold has changed. */
export const redrawFilters = (view: HTMLElement): void => view.querySelector('.filters')?.replaceWith(filterBar());

/** A field for players: several are chips above the name that is being typed. */
function players(id: string, label: string, value: string): HTMLElement {
  const field = completed(id, label, '', 'players', t`Any spelling`);
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
          iconButton('close', t`Remove: ${name}`, () => remove(at), { class: 'remove' }),
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
  const another = button(t`Or another player`, take, { class: 'plain' });
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
      field(`${name}-from`, t`${label} from`, from, { ...number, placeholder }),
      field(`${name}-to`, t`to`, to ?? '', { ...number, placeholder: t`any` }),
    ];
  };
  const form = h(
    'form',
    { class: 'filter-form' },
    ...(ofPlayer()
      ? []
      : [
          players('player', t`Player`, value('player')),
          h(
            'div',
            { class: 'field' },
            h('label', { for: 'color' }, t`Colour`),
            h(
              'select',
              { id: 'color', name: 'color' },
              ...[
                ['', t`White or Black`],
                ['white', t`White`],
                ['black', t`Black`],
              ].map(([v, text]) => h('option', { value: v, selected: !!v && v[0] === value('color')[0] }, text)),
            ),
          ),
        ]),
    players('white', t`White`, value('white')),
    players('black', t`Black`, value('black')),
    ...range('rating', t`Average rating`, '2200'),
    field('since', t`Played since`, value('since'), { placeholder: t`2015 or 2015-03`, pattern: DATE }),
    field('until', t`until`, value('until'), { placeholder: '2026', pattern: DATE }),
    completed('event', t`Event`, value('event'), 'events'),
    ...(reports()
      ? []
      : [
          completed('site', t`Place`, value('site'), 'sites'),
          completed('opening', t`Opening`, value('opening'), 'openings', 'Najdorf'),
          field('eco', t`ECO code`, value('eco'), { pattern: '[A-Ea-e]\\d{0,2}', placeholder: t`B90, B9 or B` }),
        ]),
    h(
      'details',
      { class: 'wide', open: MORE.some(name => value(name)) },
      h(
        'summary',
        null,
        reports()
          ? ofEndings()
            ? t`More: material`
            : t`More: material, pattern`
          : t`More: each side’s rating, length, material, pattern`,
      ),
      h(
        'div',
        { class: 'filter-form' },
        ...(reports()
          ? []
          : [
              ...range('whiteRating', t`White’s rating`, '2500'),
              ...range('blackRating', t`Black’s rating`, t`any`),
              ...range('difference', t`Difference of ratings`, '200'),
              ...range('length', t`Length in moves`, '10'),
            ]),
        field('material', t`With the material`, value('material'), { placeholder: 'KRPvKR' }),
        ofEndings()
          ? h('input', { type: 'hidden', name: 'pattern', value: value('pattern') })
          : field('pattern', t`With the pattern`, value('pattern'), { class: 'code', placeholder: 'Nd5' }),
      ),
    ),
    choices(
      'result',
      t`Result`,
      [
        ['', t`any`],
        ['1-0', '1–0'],
        ['1/2-1/2', '½–½'],
        ['0-1', '0–1'],
        ['*', t`none`],
      ],
      [value('result')],
      'radio',
    ),
    choices(
      'tc',
      t`Time control`,
      SPEEDS.map(s => [s, served(s)] as [string, string]),
      value('tc').split(','),
    ),
    choices(
      'with',
      t`Only games with`,
      [['evals', t`evaluations`], ...(reports() ? [] : [['annotated', t`comments`] as [string, string]])],
      ['evals', 'annotated'].filter(k => value(k)),
    ),
    h('input', { type: 'hidden', name: 'source', value: value('source') }),
    h(
      'div',
      { class: 'actions' },
      button(t`Clear all`, () => finish(new FormData()), { class: 'plain' }),
      h('button', { type: 'submit', class: 'primary' }, t`Show games`),
    ),
  );
  const saved = h('div', { class: 'saved' });
  const dialog = openDialog(t`Filter games`, { class: 'sheet' }, form, saved);
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
    const name = h('input', { id: 'view-name', value: chips(filters).length ? asName(sentence(filters)) : '' });
    fill(
      place,
      h('h3', null, t`Saved filters`),
      views.length ? null : h('p', { class: 'quiet' }, t`None yet.`),
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
            iconButton('trash', t`Delete ${view.name}`, async () => {
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
                submit: submitted(async () => {
                  try {
                    await create('/api/views', { name: name.value.trim() || asName(sentence(filters)), url: url('/', filters) });
                    await load();
                  } catch (error) {
                    say((error as Error).message);
                  }
                }),
              },
            },
            h('label', { for: 'view-name' }, t`Save these as`),
            name,
            h('button', { type: 'submit' }, t`Save`),
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
