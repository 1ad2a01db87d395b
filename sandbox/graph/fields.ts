import { GraphError } from './errors.ts';

/** Only what `?fields=` names, and always the id. Sub-selections such as `throughput{level}` are answered whole. */
export function pickFields(node: { id: string }, fields: unknown, known: readonly string[], nodeType: string): object {
  if (typeof fields !== 'string' || fields === '') return node;
  const picked: Record<string, unknown> = {};
  for (const field of fields.replace(/\{[^}]*\}/g, '').split(',')) {
    const name = field.trim();
    if (!known.includes(name)) {
      throw new GraphError(100, { message: `(#100) Tried accessing nonexisting field (${name}) on node type (${nodeType})` });
    }
    if (name in node) picked[name] = node[name as keyof typeof node];
  }
  return { ...picked, id: node.id };
}
