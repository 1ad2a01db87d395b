import { type Json, object } from '../../providers/messaging-app/json.ts';
import { maxDocumentDepth } from './limits.ts';

export type Walked = { component: Json; path: string };

/** Lists of components within a component: of a form, of a condition. */
const nests = ['children', 'then', 'else'];

/** All components of a screen with their paths in the document, those within forms and conditions after what holds them. */
export function* walkComponents(screen: Json, at = ''): Generator<Walked> {
  yield* within(object(screen.layout), `${at}.layout`, 0);
}

function* within(holder: Json, at: string, depth: number): Generator<Walked> {
  if (depth > maxDocumentDepth) return;
  for (const name of nests) yield* listed(holder[name], `${at}.${name}`, depth);
  if (holder.type === 'Switch')
    for (const [value, components] of Object.entries(object(holder.cases)))
      yield* listed(components, `${at}.cases.${value}`, depth);
}

function* listed(components: unknown, at: string, depth: number): Generator<Walked> {
  if (!Array.isArray(components)) return;
  for (const [index, one] of components.entries()) {
    const component = object(one);
    const path = `${at}[${index}]`;
    yield { component, path };
    yield* within(component, path, depth + 1);
  }
}
