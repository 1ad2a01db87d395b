import { faultIn } from '../../platform/storable.ts';
import { type Json, object } from '../../providers/messaging-app/json.ts';
import { type Action, type BuilderJson, type Component, type ComponentType, isBuildable, type Screen } from './builder.ts';
import { compileFlow } from './compile.ts';
import { kinds } from './kinds.ts';

const textOr = (value: unknown): string => (typeof value === 'string' ? value : '');
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/**
 * Undefined for a document that `compileFlow` would not give: it is shown in mode json, as it is. A document has neither id nor name of the
 * builder's flow, nor ids of components that nobody fills in: those are numbered by their type.
 */
export function readFlow(flowJson: unknown, flow: { id: string; name: string } = { id: '', name: '' }): BuilderJson | undefined {
  const document = object(flowJson);
  const screens = list(document.screens).map(object);
  const read = screens.map(readerOf(screens, object(document.routing_model)));
  // Not by `builderSchema`, which takes 0.2 s with the largest document that a builder can hold.
  if (typeof document.version !== 'string' || !isBuildable(read) || faultIn(read)) return undefined;
  const builder: BuilderJson = { mode: 'visual', flow: { ...flow, screens: orNull(read) } };
  return isSame(compileFlow(builder, document.version), flowJson) ? builder : undefined;
}

/** As deep as `compiled` is, however deep the other may be. */
function isSame(compiled: unknown, other: unknown): boolean {
  if (compiled === null || typeof compiled !== 'object') return compiled === other;
  if (other === null || typeof other !== 'object' || Array.isArray(compiled) !== Array.isArray(other)) return false;
  const keys = Object.keys(compiled);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame((compiled as Json)[key], (other as Json)[key]))
  );
}

/** A child is read by what tells it apart. What it has else shows when the result is compiled again. */
function readerOf(screens: Json[], routes: Json): (screen: Json) => Screen {
  const names = new Set(screens.flatMap((screen) => childrenOf(screen).map(({ name }) => textOr(name))));
  const counts = new Map<string, number>();
  const idOf = (type: string): string => {
    const count = (counts.get(type) ?? 0) + 1;
    counts.set(type, count);
    return names.has(`${type}_${count}`) ? idOf(type) : `${type}_${count}`;
  };
  return (screen) => {
    const id = textOr(screen.id);
    const components: Component[] = [];
    const actions: Action[] = [];
    for (const child of childrenOf(screen)) {
      const action = object(child['on-click-action']);
      if (child.type === 'Footer') {
        actions.push(footerAction(child, action, Object.hasOwn(routes, id) ? list(routes[id]) : []));
        continue;
      }
      const type = typeOf(child);
      const component = readComponent(child, type, kinds[type].isInput ? textOr(child.name) : idOf(type));
      components.push(component);
      if (type === 'link' && action.name === 'open_url')
        actions.push({ label: textOr(child.text), type: 'open_url', target: component.id, url: textOr(action.url) });
    }
    return { id, title: textOr(screen.title), actions: orNull(actions), components: orNull(components) };
  };
}

const childrenOf = (screen: Json): Json[] => list(object(screen.layout).children).map(object);
const orNull = <T>(items: T[]): T[] | null => (items.length > 0 ? items : null);

const typeNames = new Map(
  Object.entries(kinds).map(([type, kind]) => [`${kind.type} ${kind.inputType ?? ''}`, type as ComponentType]),
);

/** Anything unknown is taken for a heading, which it will not be when it is compiled again. */
const typeOf = (child: Json): ComponentType => typeNames.get(`${textOr(child.type)} ${textOr(child['input-type'])}`) ?? 'heading';

function readComponent(child: Json, type: ComponentType, id: string): Component {
  const { isInput, helper, hasOptions } = kinds[type];
  if (!isInput) return { id, type, text: textOr(child.text) };
  const component: Component = { id, type, label: textOr(child.label) };
  if (helper && child[helper]) component.helper_text = textOr(child[helper]);
  if (typeof child.required === 'boolean') component.required = child.required;
  if (hasOptions)
    component.options = orNull(
      list(child['data-source']).map((one) => ({ id: textOr(object(one).id), label: textOr(object(one).title) })),
    );
  return component;
}

function footerAction({ label }: Json, { name, next }: Json, routes: unknown[]): Action {
  const action: Action = { label: textOr(label), type: name as Action['type'] };
  if (name === 'navigate') action.target = textOr(object(next).name);
  if (name === 'data_exchange' && routes.length > 0) action.target = textOr(routes[0]);
  return action;
}
