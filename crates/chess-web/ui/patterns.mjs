// In: docs/patterns.md. Out: what the page shows of it.
import { readFileSync } from 'node:fs';

/** The words of the language of patterns, with what they mean, and examples: from its documentation, whose tests run them. */
export function language() {
  const text = readFileSync(new URL('../../../docs/patterns.md', import.meta.url), 'utf8');
  const table = text.split('\n| written | means |\n|---|---|\n')[1]?.split('\n\n')[0] ?? '';
  const words = table.split('\n').map(row => {
    const [written, means] = row
      .slice(2, -2)
      .split(/(?<!\\) \| /)
      .map(cell => cell.replaceAll('\\|', '|'));
    return [[...written.matchAll(/`([^`]+)`/g)].map(([, code]) => code), means];
  });
  const wishes = [...text.matchAll(/^ {4}\(\d+, '((?:[^']|'')+)', '((?:[^']|'')+)'\),?$/gm)];
  const examples = wishes.map(wish => [wish[2], wish[1]].map(literal => literal.replaceAll("''", "'")));
  if (words.length < 20 || examples.length < 20) throw new Error('docs/patterns.md has another form');
  return { words, examples };
}
