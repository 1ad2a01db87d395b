import { object } from '../../providers/messaging-app/json.ts';
import type { Faults } from './faults.ts';
import { limits } from './limits.ts';
import type { Model, ScreenPart } from './model.ts';

type Graph = Map<ScreenPart, Set<ScreenPart>>;

/** Whether a person can go through the whole flow: nothing is out of reach, nothing goes round in a circle, every way ends. */
export function checkRoutes(model: Model, faults: Faults): void {
  const routes = model.hasEndpoint ? checkedModel(model, faults) : undefined;
  const graph = graphOf(model, routes);
  for (const [screen, next] of graph)
    if (next.size > limits.branches.max)
      route(screen, `A screen leads to at most ${limits.branches.max} others, not ${next.size}`, faults);
  checkCircles(graph, faults);
  checkReach(model, graph, faults);
  checkEnds(graph, faults);
}

const route = (screen: ScreenPart, message: string, faults: Faults, severity: 'error' | 'warning' = 'error') =>
  faults.add(screen, 'id', { error: 'INVALID_ROUTING_MODEL', message, severity });

/** The routing model of a flow with an endpoint: all its screens, and no others. */
function checkedModel({ part, screens, byId }: Model, faults: Faults): Map<string, Set<string>> {
  const routes = new Map<string, Set<string>>();
  const add = (name: string, message: string) =>
    faults.add({ part, path: '' }, `routing_model.${name}`, { error: 'INVALID_ROUTING_MODEL', message });
  for (const [name, targets] of Object.entries(object(part.routing_model))) {
    const listed = new Set(Array.isArray(targets) ? targets.map(String) : []);
    routes.set(name, listed);
    for (const target of [name, ...listed]) if (!byId.has(target)) add(name, `There is no screen ${target}`);
    if (listed.has(name)) add(name, 'A screen cannot lead to itself');
    for (const target of listed)
      if (target !== name && routes.get(target)?.has(name)) add(name, `The way back to ${target} must not be listed`);
  }
  for (const { id, actions } of screens) {
    if (part.routing_model !== undefined && !routes.has(id)) add(id, `The screen ${id} is missing`);
    for (const { action } of actions) {
      const { name } = object(action.next);
      if (action.name === 'navigate' && typeof name === 'string' && byId.has(name) && !routes.get(id)?.has(name))
        add(id, `The way from ${id} to ${name} is missing`);
    }
  }
  return routes;
}

function graphOf({ screens, byId }: Model, routes?: Map<string, Set<string>>): Graph {
  return new Map(
    screens.map((screen) => {
      const names = screen.actions.map(({ action }) => (action.name === 'navigate' ? object(action.next).name : undefined));
      const targets = [...names, ...(routes?.get(screen.id) ?? [])].flatMap((name) => byId.get(name as string) ?? []);
      return [screen, new Set(targets.filter((target) => target !== screen))];
    }),
  );
}

/** Screens are taken away as long as one has no way on; what is left goes round, or leads to what does. */
function checkCircles(graph: Graph, faults: Faults): void {
  const before = reversed(graph);
  const open = new Map([...graph].map(([screen, next]) => [screen, next.size]));
  const done = [...open].filter(([, count]) => count === 0).map(([screen]) => screen);
  for (const screen of done)
    for (const previous of before.get(screen)!) {
      const count = open.get(previous)! - 1;
      open.set(previous, count);
      if (count === 0) done.push(previous);
    }
  const isDone = new Set(done);
  const circle = [...graph.keys()].find((screen) => !isDone.has(screen));
  if (circle) route(circle, `The way on from ${circle.id} leads back to a screen before it`, faults);
}

function reversed(graph: Graph): Graph {
  const before: Graph = new Map([...graph.keys()].map((screen) => [screen, new Set()]));
  for (const [screen, next] of graph) for (const target of next) before.get(target)?.add(screen);
  return before;
}

/** A flow is opened on the screen that no other leads to; of several, the first. */
function checkReach({ screens }: Model, graph: Graph, faults: Faults): void {
  const before = reversed(graph);
  const entries = screens.filter((screen) => before.get(screen)!.size === 0);
  const [entry] = entries;
  if (!entry) {
    route(screens[0]!, 'Every screen is led to by another: none is the first', faults);
    return;
  }
  if (entry !== screens[0])
    route(screens[0]!, `The flow begins with the screen ${entry.id}, which must be the first`, faults, 'warning');
  const reached = reach([entry], graph);
  for (const screen of screens)
    if (!reached.has(screen)) route(screen, `No screen leads from ${entry.id} to ${screen.id}`, faults);
}

function reach(from: ScreenPart[], graph: Graph): Set<ScreenPart> {
  const reached = new Set(from);
  for (const screen of reached) for (const next of graph.get(screen) ?? []) reached.add(next);
  return reached;
}

function checkEnds(graph: Graph, faults: Faults): void {
  const ends = [...graph.keys()].filter(
    ({ part, actions }) =>
      part.terminal === true && actions.some(({ action }) => action.name === 'complete' || action.name === 'data_exchange'),
  );
  const ending = reach(ends, reversed(graph));
  for (const screen of graph.keys())
    if (!ending.has(screen)) route(screen, `No way from ${screen.id} completes the flow`, faults);
}
