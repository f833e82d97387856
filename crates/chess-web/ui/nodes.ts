// In: the nodes of a notebook. Out: its tree.
import { initial, legal, readFen } from './position';
import type { NotebookNode } from './sessions';
import { type Node, Tree, take as takeNote, writeComment } from './tree';

/** What the server has saved of a node. */
export function take(node: Node, stored: NotebookNode): void {
  takeNote(node, stored.said);
  node.nags = stored.glyph ? [stored.glyph, ...(stored.glyphs ?? [])] : [];
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

/** The longest note that the server takes, in characters, with the commands in it. */
const NOTE = 8000;
/** How many characters a note may have beside the commands, such as those for what is drawn on the board. */
export const room = (node: Node): number => Math.max(0, NOTE + 1 - writeComment({ ...node, after: '.' }).length);
