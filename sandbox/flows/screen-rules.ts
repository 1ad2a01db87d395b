import { components, inputs, mostOnScreen } from './components.ts';
import { type DocumentFaults, type Fields, isFields, rooted } from './faults.ts';
import { bool, literally, type Rules, text } from './properties.ts';

export interface Action {
  path: string;
  of: string;
  name: string;
  action: Fields;
}

/** What the rules about a whole document need to know of a screen. */
export interface Screen {
  id: string;
  path: string;
  isTerminal: boolean;
  data: Record<string, unknown>;
  layout: unknown;
  names: Set<string>;
  actions: Action[];
  hasFooter: boolean;
}

const maxComponents = 50;

const screenRules: Rules = {
  required: {
    id: (value) =>
      typeof value === 'string' && /^[A-Za-z_]{1,80}$/.test(value)
        ? value === 'SUCCESS'
          ? 'SUCCESS is a reserved keyword'
          : undefined
        : 'Screen id may have letters and underscores only',
    layout: (value) => (isFields(value) ? undefined : 'Expected property to be of type "object"'),
  },
  optional: {
    title: text(60),
    terminal: bool,
    success: bool,
    data: (value) => (isFields(value) ? undefined : 'Expected property to be of type "object"'),
    refresh_on_back: bool,
    sensitive: (value) => (Array.isArray(value) ? undefined : 'Expected property to be of type "array"'),
  },
};
const layoutRules: Rules = {
  required: {
    type: literally('SingleColumnLayout'),
    children: (value) => (Array.isArray(value) ? undefined : 'Expected property to be of type "array"'),
  },
};
const dataTypes = ['string', 'number', 'boolean', 'object', 'array'];

export function checkProperties(faults: DocumentFaults, value: Fields, path: string, rules: Rules, ignored: string[] = []): void {
  const { required, optional = {} } = rules;
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  for (const name of Object.keys(required)) {
    if (value[name] === undefined)
      faults.schema(
        'REQUIRED_PROPERTY_MISSING',
        path,
        `The property "${name}" is required at "${rooted(path)}" but was not specified.`,
      );
  }
  for (const [name, one] of Object.entries(value)) {
    if (ignored.includes(name)) continue;
    const check = Object.hasOwn(required, name) ? required[name] : Object.hasOwn(optional, name) ? optional[name] : undefined;
    if (!check)
      faults.schema('INVALID_PROPERTY', at(name), `The property "${name}" cannot be specified at "${rooted(path)}".`, 'name');
    const fault = check?.(one);
    if (fault) faults.schema('INVALID_PROPERTY_VALUE', at(name), `${fault}. Invalid value for "${name}" at "${rooted(path)}".`);
  }
}

/** Undefined for what is no screen at all. */
export function readScreen(faults: DocumentFaults, value: unknown, path: string): Screen | undefined {
  if (!isFields(value)) {
    faults.schema('INVALID_PROPERTY_TYPE', path, `Expected property at "${rooted(path)}" to be of type "object".`);
    return undefined;
  }
  checkProperties(faults, value, path, screenRules);
  const screen: Screen = {
    id: typeof value.id === 'string' ? value.id : '',
    path,
    isTerminal: value.terminal === true,
    data: isFields(value.data) ? value.data : {},
    layout: value.layout,
    names: new Set(),
    actions: [],
    hasFooter: false,
  };
  checkData(faults, screen);
  if (isFields(value.layout)) {
    checkProperties(faults, value.layout, `${path}.layout`, layoutRules);
    const counts = new Map<string, number>();
    readChildren(faults, screen, counts, value.layout.children, `${path}.layout.children`);
    checkCounts(faults, screen, counts);
  }
  return screen;
}

function checkData(faults: DocumentFaults, { data, path }: Screen): void {
  for (const [name, model] of Object.entries(data)) {
    const at = `${path}.data.${name}`;
    if (!isFields(model) || !dataTypes.includes(model.type as string))
      faults.schema('INVALID_PROPERTY_VALUE', at, `The data model of "${name}" needs a type, one of: [${dataTypes.join(', ')}].`);
    else if (model.__example__ === undefined)
      faults.schema(
        'REQUIRED_PROPERTY_MISSING',
        at,
        `The property "__example__" is required at "${rooted(at)}" but was not specified.`,
      );
  }
}

function readChildren(faults: DocumentFaults, screen: Screen, counts: Map<string, number>, list: unknown, path: string): void {
  if (!Array.isArray(list)) return;
  for (const [index, child] of list.entries()) readComponent(faults, screen, counts, child, `${path}[${index}]`);
}

function readComponent(faults: DocumentFaults, screen: Screen, counts: Map<string, number>, value: unknown, path: string): void {
  if (!isFields(value)) {
    faults.schema('INVALID_PROPERTY_TYPE', path, `Expected property at "${rooted(path)}" to be of type "object".`);
    return;
  }
  const type = value.type;
  if (typeof type !== 'string' || !Object.hasOwn(components, type)) {
    faults.schema('INVALID_PROPERTY_VALUE', `${path}.type`, `Unknown component type "${String(type)}" at "${rooted(path)}".`);
    return;
  }
  checkProperties(faults, value, path, components[type]!, ['type']);
  // A form is no component that a person sees.
  if (type !== 'Form') counts.set(type, (counts.get(type) ?? 0) + 1);
  if (inputs.has(type) && typeof value.name === 'string') {
    if (screen.names.has(value.name))
      faults.flow(
        'DUPLICATE_FORM_COMPONENT_NAMES',
        `${path}.name`,
        `The name "${value.name}" is used by more than one component.`,
      );
    screen.names.add(value.name);
  }
  for (const name of ['on-click-action', 'on-select-action', 'on-unselect-action']) {
    const action = value[name];
    if (isFields(action)) screen.actions.push({ path: `${path}.${name}`, of: type, name: String(action.name), action });
  }
  if (type === 'Footer') screen.hasFooter = true;
  readChildren(faults, screen, counts, value.children, `${path}.children`);
  readChildren(faults, screen, counts, value.then, `${path}.then`);
  readChildren(faults, screen, counts, value.else, `${path}.else`);
  if (isFields(value.cases))
    for (const [name, list] of Object.entries(value.cases)) readChildren(faults, screen, counts, list, `${path}.cases.${name}`);
}

function checkCounts(faults: DocumentFaults, { path }: Screen, counts: Map<string, number>): void {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const at = `${path}.layout.children`;
  if (total > maxComponents)
    faults.flow('MAX_COMPONENTS_EXCEEDED', at, `A screen can have at most ${maxComponents} components, got ${total}.`);
  for (const [type, most] of Object.entries(mostOnScreen)) {
    const count = counts.get(type) ?? 0;
    if (count > most) faults.flow('MAX_COMPONENTS_EXCEEDED', at, `A screen can have at most ${most} of ${type}, got ${count}.`);
  }
}
