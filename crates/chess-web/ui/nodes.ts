// In: the nodes of a notebook. Out: its tree.
import { initial, legal, readFen } from './position';
import { glyphsOf, type NotebookNode } from './sessions';
import { type Node, Tree, take as takeNote } from './tree';

/** What the server has saved of a node. */
export function take(node: Node, stored: NotebookNode): void {
  takeNote(node, stored.said);
  node.nags = glyphsOf(stored);
}

export function treeOfNodes(nodes: NotebookNode[], made: (node: Node, stored: NotebookNode) => void): Tree {
  const root = nodes.find(n => n.parent === null);
  const tree = new Tree((root && readFen(root.fen).pos) || initial());
  const byId = new Map<number, Node>();
  for (const stored of nodes) {
    const parent = byId.get(stored.parent ?? 0);
    const move = parent && stored.uci ? legal(tree.position(parent), stored.uci) : undefined;
    const node = stored === root ? tree.root : parent && move ? tree.play(parent, move) : undefined;
    if (!node) continue;
    byId.set(stored.id, node);
    take(node, stored);
    made(node, stored);
  }
  return tree;
}

/** The most characters of a note. */
export const NOTE = 8000;

/** Adds a comment to those that a note gets, unless it has it already; false if there is no room for it. */
export function addComment(note: string, comments: string[], comment: string): boolean {
  const all = [note, ...comments].filter(Boolean).join('\n');
  if (!comment || `\n${all}\n`.includes(`\n${comment}\n`)) return true;
  if (all.length + 1 + comment.length > NOTE) return false;
  comments.push(comment);
  return true;
}
