// In: what docs/patterns.md says of the language of patterns. Out: its words and examples as a table beside the field in which one
// writes them.
import language from 'docs:patterns';
import { button, type Child, h } from './dom';
import { served, t } from './words';

/** Text with code between backticks. */
const marked = (text: string): Child[] => text.split('`').map((part, i) => (i % 2 ? h('code', null, part) : part));

/** `write` puts a form where one is writing, `take` takes an example instead of what is there. */
export function words(write: (form: string) => void, take: (pattern: string) => void): HTMLElement {
  return h(
    'div',
    { class: 'language' },
    h('p', { class: 'quiet' }, t`A click writes a form into the field. Capitals are White’s pieces, small letters Black’s.`),
    h(
      'dl',
      null,
      ...language.words.flatMap(([forms, means]) => [
        h('dt', null, ...forms.map(form => button(form, () => write(form), { class: 'plain code' }))),
        h('dd', null, ...marked(served(means))),
      ]),
    ),
    h('h2', null, t`Examples`),
    h(
      'dl',
      null,
      ...language.examples.flatMap(([pattern, wish]) => [
        h('dt', null, served(wish)),
        h(
          'dd',
          null,
          button(pattern, () => take(pattern), { class: 'plain code' }),
        ),
      ]),
    ),
  );
}
