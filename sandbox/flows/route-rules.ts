import { targetOf } from './action-rules.ts';
import { type DocumentFaults, isFields } from './faults.ts';
import type { Screen } from './screen-rules.ts';

const maxBranches = 10;

/** Which screens follow which: as the routing model says, or as the actions navigate where there is none. */
export function checkRoutes(faults: DocumentFaults, screens: Map<string, Screen>, model: unknown): void {
  const navigated = new Map([...screens.values()].map((screen) => [screen.id, targets(screen, screens)]));
  const routes = isFields(model) ? modelled(faults, screens, navigated, model) : navigated;
  for (const [id, next] of routes) {
    if (next.length > maxBranches)
      faults.flow(
        'INVALID_ROUTING_MODEL',
        screens.get(id)!.path,
        `At most ${maxBranches} branches are allowed, "${id}" has ${next.length}.`,
      );
    if (next.length === 0 && !screens.get(id)!.isTerminal)
      faults.flow(
        'MISSING_TERMINAL_SCREEN',
        screens.get(id)!.path,
        `No way leads on from "${id}", and it is no terminal screen.`,
      );
  }
  const loop = loopIn(routes);
  if (loop) faults.flow('INVALID_ROUTING_MODEL', screens.get(loop)!.path, `Loop detected in the routes of "${loop}".`);
  if (![...screens.values()].some(({ isTerminal }) => isTerminal))
    faults.flow('MISSING_TERMINAL_SCREEN', 'screens', 'The flow needs at least one terminal screen.');
  if (!loop) checkConnected(faults, screens, routes);
}

const targets = ({ actions }: Screen, screens: Map<string, Screen>): string[] => {
  const named = actions.filter(({ name }) => name === 'navigate').map(({ action }) => targetOf(action));
  return [...new Set(named.filter((id) => id !== undefined && screens.has(id)))] as string[];
};

function modelled(
  faults: DocumentFaults,
  screens: Map<string, Screen>,
  navigated: Map<string, string[]>,
  model: Record<string, unknown>,
): Map<string, string[]> {
  const routes = new Map<string, string[]>([...screens.keys()].map((id) => [id, []]));
  for (const [id, next] of Object.entries(model)) {
    const list = Array.isArray(next) ? next : [];
    if (!Array.isArray(next) || !screens.has(id) || list.some((one) => !screens.has(one as string)))
      faults.flow('INVALID_ROUTING_MODEL', `routing_model.${id}`, `The route of "${id}" must be a list of screens of the flow.`);
    if (screens.has(id)) routes.set(id, list.filter((one) => screens.has(one as string)) as string[]);
  }
  for (const [id, next] of navigated) {
    const absent = next.find((one) => !routes.get(id)!.includes(one));
    if (absent !== undefined)
      faults.flow('INVALID_ROUTING_MODEL', 'routing_model', `"${id}" navigates to "${absent}", which its route does not name.`);
  }
  return routes;
}

/** A screen that comes back to itself. */
function loopIn(routes: Map<string, string[]>): string | undefined {
  const done = new Set<string>();
  const open = new Set<string>();
  const visit = (id: string): string | undefined => {
    if (open.has(id)) return id;
    if (done.has(id)) return undefined;
    open.add(id);
    for (const next of routes.get(id) ?? []) {
      const found = visit(next);
      if (found !== undefined) return found;
    }
    open.delete(id);
    done.add(id);
    return undefined;
  };
  for (const id of routes.keys()) {
    const found = visit(id);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A flow begins at one screen, and every other follows from it. */
function checkConnected(faults: DocumentFaults, screens: Map<string, Screen>, routes: Map<string, string[]>): void {
  const followed = new Set([...routes.values()].flat());
  const [, ...more] = [...screens.keys()].filter((id) => !followed.has(id));
  for (const id of more)
    faults.flow(
      'INVALID_ROUTING_MODEL',
      screens.get(id)!.path,
      `The screen "${id}" is not connected with the rest of the screens.`,
    );
}
