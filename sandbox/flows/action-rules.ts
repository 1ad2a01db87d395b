import { type DocumentFaults, isFields } from './faults.ts';
import type { Action, Screen } from './screen-rules.ts';

const actionNames = ['navigate', 'complete', 'data_exchange', 'open_url', 'update_data'];
const allowedOf: Record<string, string[]> = {
  Footer: ['navigate', 'complete', 'data_exchange'],
  EmbeddedLink: ['navigate', 'data_exchange', 'open_url', 'update_data'],
  OptIn: ['navigate', 'data_exchange', 'open_url', 'update_data'],
};

export function checkActions(faults: DocumentFaults, screens: Map<string, Screen>, isEndpointFlow: boolean): void {
  for (const screen of screens.values()) {
    for (const one of screen.actions) checkAction(faults, screens, screen, one, isEndpointFlow);
    for (const one of screen.actions) checkBindings(faults, screens, screen, one.action.payload, `${one.path}.payload`);
    if (screen.isTerminal && !screen.hasFooter)
      faults.flow('MISSING_FOOTER', screen.path, `A terminal screen needs a Footer, and "${screen.id}" has none.`);
  }
}

function checkAction(
  faults: DocumentFaults,
  screens: Map<string, Screen>,
  screen: Screen,
  { path, of, name, action }: Action,
  isEndpointFlow: boolean,
): void {
  const allowed = allowedOf[of] ?? actionNames;
  if (!allowed.includes(name)) {
    faults.schema(
      'INVALID_PROPERTY_VALUE',
      `${path}.name`,
      `Action "${name}" of ${of} should be one of: [${allowed.join(', ')}].`,
    );
    return;
  }
  if (action.payload !== undefined && !isFields(action.payload))
    faults.schema('INVALID_PROPERTY_TYPE', `${path}.payload`, 'Expected the payload to be of type "object".');
  if (name === 'complete' && !screen.isTerminal)
    faults.flow(
      'INVALID_COMPLETE_ACTION',
      path,
      `The complete action can only be used on a terminal screen, not on "${screen.id}".`,
    );
  if (name === 'data_exchange' && !isEndpointFlow)
    faults.flow('INVALID_DATA_EXCHANGE', path, 'The data_exchange action needs the property "data_api_version" of the flow.');
  if (name === 'open_url' && !/^https?:\/\/\S+$/.test(String(action.url)))
    faults.schema('INVALID_PROPERTY_VALUE', path, 'The open_url action needs a valid "url".');
  if (name === 'navigate') checkTarget(faults, screens, screen, path, action);
}

function checkTarget(
  faults: DocumentFaults,
  screens: Map<string, Screen>,
  screen: Screen,
  path: string,
  action: Action['action'],
): void {
  const id = targetOf(action);
  if (id === undefined) {
    faults.schema('REQUIRED_PROPERTY_MISSING', path, 'The navigate action needs "next" with the type "screen" and a name.');
    return;
  }
  const target = screens.get(id);
  if (!target) {
    faults.flow('INVALID_SCREEN_TRANSITION', path, `The screen "${id}" that "${screen.id}" navigates to does not exist.`);
    return;
  }
  const given = isFields(action.payload) ? Object.keys(action.payload) : [];
  const missing = Object.keys(target.data).filter((name) => !given.includes(name));
  if (missing.length > 0)
    faults.flow('MISSING_PAYLOAD_FIELDS', path, `The payload lacks fields of the data model of "${id}": ${missing.join(', ')}.`);
}

export function targetOf({ next }: Action['action']): string | undefined {
  return isFields(next) && next.type === 'screen' && typeof next.name === 'string' ? next.name : undefined;
}

/** Every `${form.x}` and `${data.x}` names something there is. */
export function checkBindings(
  faults: DocumentFaults,
  screens: Map<string, Screen>,
  screen: Screen,
  value: unknown,
  path: string,
): void {
  if (Array.isArray(value))
    for (const [index, one] of value.entries()) checkBindings(faults, screens, screen, one, `${path}[${index}]`);
  else if (isFields(value))
    for (const [name, one] of Object.entries(value)) checkBindings(faults, screens, screen, one, `${path}.${name}`);
  else if (typeof value === 'string') {
    for (const [whole, other, kind, name] of value.matchAll(/\$\{(?:screen\.([A-Za-z_]+)\.)?(form|data)\.([\w-]+)[^}]*\}/g)) {
      const meant = other === undefined ? screen : screens.get(other);
      const isThere = kind === 'form' ? meant?.names.has(name!) : meant && Object.hasOwn(meant.data, name!);
      if (!isThere) faults.flow('INVALID_DATA_BINDING', path, `The binding "${whole}" on "${screen.id}" leads to nothing.`);
    }
  }
}
