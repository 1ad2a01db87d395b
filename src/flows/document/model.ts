import { type Json, object } from '../../providers/messaging-app/json.ts';
import { limits } from './limits.ts';
import { walkComponents } from './walk.ts';

export type ActionPart = { action: Json; on: string; component: ComponentPart };
export type ComponentPart = { part: Json; path: string; type: string };
export type ScreenPart = {
  part: Json;
  path: string;
  id: string;
  components: ComponentPart[];
  actions: ActionPart[];
  /** Names of what is filled in on this screen. */
  inputs: Set<string>;
  data: Set<string>;
};
/** Of a screen: twice what it may have, so that the fault is certain and a large document takes no longer. */
const maxWalked = 2 * limits.components.max;

/** What the rules about several parts look at; made in one walk. */
export type Model = { part: Json; screens: ScreenPart[]; byId: Map<string, ScreenPart>; hasEndpoint: boolean };

export function modelOf(flowJson: unknown): Model {
  const part = object(flowJson);
  const screens = (Array.isArray(part.screens) ? part.screens : [])
    .slice(0, limits.screens.max + 1)
    .map((screen, index) => screenPart(object(screen), `.screens[${index}]`));
  const byId = new Map<string, ScreenPart>();
  for (const screen of screens) if (!byId.has(screen.id)) byId.set(screen.id, screen);
  return { part, screens, byId, hasEndpoint: part.data_api_version !== undefined };
}

function screenPart(part: Json, path: string): ScreenPart {
  const components: ComponentPart[] = [];
  for (const { component, path: at } of walkComponents(part, path)) {
    if (components.length === maxWalked) break;
    components.push({ part: component, path: at, type: typeof component.type === 'string' ? component.type : '' });
  }
  const names = components.filter(({ type }) => type !== 'Form').map((component) => component.part.name);
  return {
    part,
    path,
    id: typeof part.id === 'string' ? part.id : '',
    components,
    actions: components.flatMap(actionsOf),
    inputs: new Set(names.filter((name) => typeof name === 'string')),
    data: new Set(Object.keys(object(part.data))),
  };
}

/** Of the component, and of the items of a list in it. */
function actionsOf(component: ComponentPart): ActionPart[] {
  const own = actionsIn(component.part, '', component);
  const items = component.part['list-items'];
  if (!Array.isArray(items)) return own;
  return [...own, ...items.flatMap((item, index) => actionsIn(object(item), `list-items[${index}].`, component))];
}

const actionsIn = (holder: Json, before: string, component: ComponentPart): ActionPart[] =>
  Object.keys(holder)
    .filter((key) => /^on-[a-z]+-action$/.test(key))
    .map((key) => ({ action: object(holder[key]), on: `${before}${key}`, component }));
