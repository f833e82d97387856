// In: the sources of the page. Out: the texts that it shows, as keys for the tables of languages; and texts that are shown, but
// not looked up there. As a program: how much each table lacks, and has for nothing; with the code of a language an empty table
// for it.
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'acorn';
import { transformSync } from 'esbuild';
import { language } from './patterns.mjs';

/** Functions whose arguments from one to another are shown. */
const SHOWING = {
  h: [2, 99],
  s: [2, 99],
  fill: [1, 99],
  strip: [0, 99],
  replaceChildren: [0, 99],
  append: [0, 99],
  note: [0, 99],
  foreign: [0, 1],
  button: [0, 0],
  iconButton: [1, 1],
  openDialog: [0, 0],
  completed: [1, 1],
  say: [0, 0],
  confirm: [0, 0],
  title: [0, 0],
  showText: [0, 0],
  copy: [1, 1],
  failed: [1, 1],
  Error: [0, 0],
  ApiError: [1, 1],
};
const SHOWING_PROPS = /^(title|aria-label|placeholder|head|label|text|said|caption)$/;
/** Properties that are for programs. */
const OTHER_PROPS =
  /^(class|id|type|href|for|role|d|viewBox|pattern|accept|name|value|sections|download|inputmode|autocomplete|spellcheck|rel|scope|brush|path|data-.*|aria-(live|current|sort|haspopup|pressed|expanded|checked|controls|describedby|autocomplete|hidden|labelledby|selected))$/;
const LOOKED_UP = new Set(['t', 'rich']);
/** Functions whose arguments are for programs, even where they look like text. */
const FOR_PROGRAMS =
  /^(get|set|has|tag|find|querySelector|querySelectorAll|closest|matches|includes|startsWith|endsWith|matchMedia|setRequestHeader|createElementNS|RegExp|CSS|split|replace|replaceAll)$/;
/** What stands in no language: notation, names, selectors, drawings. */
const NO_TEXT =
  /^\[%|^(PGN|FEN|SQL|ECO|chess|n|Σ|Najdorf|.* cannot be set|a link must be within the site)$|^M\d|^flip\(|^[rR]?x?N[cd]\d|^K\[|^KRP|^(tbody|thead|table|tr|input|prompt|promotion|transposes|explorer-moves|h1, h2)\b|\.pgn$|^translate\(| for 4$/;

/** What is for programs where it is not shown: tags, browsers, keys, states. */
const OTHER =
  /^(Edge|Firefox|Chrome|Safari|Android|iPhone|iPad|Windows|Linux|White|Black|Event|Site|Date|Round|Result|Opening|Annotator|WhiteElo|BlackElo|TimeControl|SetUp|Played on|Files|Enter|Home End|N p Del|o g s a n p|opponent left|language=.*)$/;

const looksLikeText = text => /\p{L}\S* +\S|^[“(]?\p{Lu}\p{Ll}/u.test(text);
const hasLetters = text => /\p{L}/u.test(text);
const nameOf = callee => callee.property?.name ?? callee.name ?? '';

/** The text of a literal or a template; its values are numbered. */
function textOf(node) {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node.type !== 'TemplateLiteral') return undefined;
  return node.quasis.map(({ value }, i) => (i ? `{${i - 1}}` : '') + value.cooked).join('');
}

/** Where a value goes to that is chosen among others or is one of a list: shown, for programs, or elsewhere. */
function placeOf(path) {
  let at = path.length - 1;
  const through = ['ConditionalExpression', 'LogicalExpression', 'ArrayExpression', 'SpreadElement'];
  while (at > 0 && through.includes(path[at - 1].type) && path[at - 1].test !== path[at]) at--;
  const [node, parent] = [path[at], path[at - 1]];
  if (!parent) return 'elsewhere';
  if (parent.type === 'CallExpression' || parent.type === 'NewExpression') {
    const name = nameOf(parent.callee);
    if (FOR_PROGRAMS.test(name)) return 'for programs';
    const [from, to] = SHOWING[name] ?? [1, 0];
    const place = parent.arguments.indexOf(node);
    return place >= from && place <= to ? 'shown' : 'elsewhere';
  }
  if (parent.type === 'Property') {
    if (parent.key === node) return 'for programs';
    const name = String(parent.key.name ?? parent.key.value);
    return SHOWING_PROPS.test(name) ? 'shown' : OTHER_PROPS.test(name) ? 'for programs' : 'elsewhere';
  }
  if (parent.type === 'AssignmentExpression') return /textContent|ariaLabel/.test(nameOf(parent.left)) ? 'shown' : 'elsewhere';
  const compared = parent.type === 'BinaryExpression' || parent.type === 'SwitchCase' || parent.type === 'ImportExpression';
  return compared || parent.type === 'ImportDeclaration' || parent.type === 'MemberExpression' ? 'for programs' : 'elsewhere';
}

/** The keys in a source, and the lines with texts that it shows without looking them up. */
export function textsIn(source) {
  const { code } = transformSync(source, { loader: 'ts', target: 'es2022', charset: 'utf8' });
  const keys = [];
  const bare = [];
  const visit = (node, path) => {
    if (!node || typeof node.type !== 'string') return;
    const here = [...path, node];
    if (node.type === 'TaggedTemplateExpression' && LOOKED_UP.has(node.tag.name)) {
      keys.push({ key: textOf(node.quasi), plural: false });
      for (const value of node.quasi.expressions) visit(value, here);
      return;
    }
    if (node.type === 'CallExpression' && node.callee.name === 'plural') {
      const [number, , many, ...values] = node.arguments;
      keys.push({ key: textOf(many), plural: true });
      for (const value of [number, ...values]) visit(value, here);
      return;
    }
    if (node.type === 'CallExpression' && nameOf(node.callee) === 'toUpperCase') {
      // a name of the program that is made to look like a text
      let at = path.length;
      while (['BinaryExpression', 'TemplateLiteral'].includes(here[at - 1]?.type)) at--;
      if (placeOf(here.slice(0, at + 1)) === 'shown') bare.push('toUpperCase()');
    }
    const text = textOf(node);
    if (text !== undefined) {
      const own = text.replace(/\{\d\}/g, '');
      const place = placeOf(here);
      const isText = place === 'shown' ? hasLetters(own) : place === 'elsewhere' && looksLikeText(own) && !OTHER.test(text);
      if (isText && !NO_TEXT.test(text)) bare.push(text);
    }
    for (const child of Object.values(node)) for (const one of [child].flat()) visit(one, here);
  };
  visit(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }), []);
  return { keys, bare };
}

/** All texts of the page, and those of its server that tables may have; whether they have forms for numbers. */
export function allTexts(directory) {
  const names = readdirSync(directory).filter(name => name.endsWith('.ts') && !name.endsWith('.d.ts') && name !== 'words.ts');
  const found = [...names, 'words.ts'].map(name => ({ name, ...textsIn(readFileSync(resolve(directory, name), 'utf8')) }));
  const served = JSON.parse(readFileSync(resolve(directory, 'languages/served.json'), 'utf8'));
  const patterns = language();
  const told = [...patterns.words.map(([, means]) => means), ...patterns.examples.map(([, wish]) => wish)];
  const keys = new Map([...served, ...told].map(key => [key, false]));
  for (const { key, plural } of found.flatMap(({ keys }) => keys)) keys.set(key, plural);
  return { keys, bare: found.flatMap(({ name, bare }) => bare.map(text => `${name}: ${text}`)) };
}

/** The table of a language, as translators write it. */
export const tableOf = (directory, language) =>
  JSON.parse(readFileSync(resolve(directory, `languages/${language}.json`), 'utf8'));
export const languagesIn = directory =>
  readdirSync(resolve(directory, 'languages'))
    .filter(name => /^\w\w\.json$/.test(name))
    .map(name => name.slice(0, 2));

const valuesIn = text => [...new Set(text.match(/\{\d\}/g))].sort().join(' ');

/** What is wrong with a table: texts that it lacks, or that the page has not, other values, other forms than the language has. */
export function wrongIn(language, table, keys) {
  const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
  // `many` stands for millions in some languages, and `other` for fractions in some
  const needed = pluralCategories.filter(form => form !== 'many' || pluralCategories.includes('few'));
  const wrong = { missing: [], unknown: [], values: [], forms: [] };
  for (const key of keys.keys()) if (!table[key]) wrong.missing.push(key);
  for (const [key, own] of Object.entries(table)) {
    if (!keys.has(key)) {
      wrong.unknown.push(key);
      continue;
    }
    if (!own) continue;
    const forms = typeof own === 'string' ? { other: own } : own;
    if (Object.values(forms).some(form => valuesIn(form) !== valuesIn(key))) wrong.values.push(key);
    const isRight = keys.get(key) ? needed.every(form => own[form]) : typeof own === 'string';
    if (!isRight) wrong.forms.push(key);
  }
  return wrong;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const directory = fileURLToPath(new URL('.', import.meta.url));
  const { keys } = allTexts(directory);
  const [wanted] = process.argv.slice(2);
  if (wanted) {
    const forms = Object.fromEntries(new Intl.PluralRules(wanted).resolvedOptions().pluralCategories.map(form => [form, '']));
    console.log(JSON.stringify(Object.fromEntries([...keys].map(([key, plural]) => [key, plural ? forms : ''])), null, 2));
  }
  for (const language of wanted ? [] : languagesIn(directory)) {
    const { missing, unknown } = wrongIn(language, tableOf(directory, language), keys);
    console.log(`${language}: ${missing.length} of ${keys.size} texts are missing, ${unknown.length} are not on the page`);
  }
}
