import type { Action, BuilderJson, Component, Screen } from './builder.ts';
import type { FlowJson } from './flow-json.ts';
import { kinds } from './kinds.ts';
import { dataApiVersion } from './limits.ts';
import { Places } from './places.ts';

type Json = Record<string, unknown>;
/** A screen, its place in the list, and what the screens before it asked: the payload that ends the flow has it all. */
type Step = { screen: Screen; index: number };

/** Of mode visual only. Total: what `builderSchema` lets through is compiled, with its faults. */
export const compileFlow = (builder: BuilderJson, jsonVersion: string): FlowJson => compiled(builder, jsonVersion).flowJson;

/** With the place in the builder of each part of the document. */
export function compiled({ flow }: BuilderJson, jsonVersion: string): { flowJson: FlowJson; places: Places } {
  const places = new Places();
  const screens = flow.screens ?? [];
  const asksEndpoint = screens.some(({ actions }) => actions?.some(({ type }) => type === 'data_exchange'));
  const answers = answersOf(screens);
  const flowJson: FlowJson = {
    version: jsonVersion,
    ...(asksEndpoint ? { data_api_version: dataApiVersion, routing_model: routesOf(screens) } : {}),
    screens: screens.map((screen, index) => compileScreen({ screen, index }, answers(screen), places)),
  };
  places.add(flowJson, 'builder_json.flow');
  return { flowJson, places };
}

const inputsOf = (screen: Screen) => (screen.components ?? []).filter(({ type }) => kinds[type].isInput);
const footersOf = (screen: Screen) => (screen.actions ?? []).filter(({ type }) => type !== 'open_url');
const targetOf = (screen: Screen) => footersOf(screen).find(({ target }) => target)?.target;

/** What ends the flow: `complete`, or an endpoint that is given no screen to go on with. */
const ends = ({ type, target }: Action) => type === 'complete' || (type === 'data_exchange' && !target);

/**
 * The screens whose answers a screen sends: at the end all on the way to it, to an endpoint those since it was asked last, so that a document
 * grows no faster than its screens. A screen has one way on: the way to it is a chain, which begins with a screen that no other goes to.
 */
function answersOf(screens: Screen[]): (of: Screen) => Screen[] {
  const byId = new Map(screens.map((screen) => [screen.id, screen]));
  const targets = new Set(screens.map(targetOf));
  const sent = new Map<Screen, Screen[]>();
  for (const first of screens) {
    if (targets.has(first.id)) continue;
    const way = new Set<Screen>();
    let since: Screen[] = [];
    for (let at: Screen | undefined = first; at && !way.has(at); at = byId.get(targetOf(at) ?? '')) {
      way.add(at);
      since.push(at);
      const [footer, another] = footersOf(at);
      if (!footer || another || footer.type === 'navigate') continue;
      if (!sent.has(at)) sent.set(at, ends(footer) ? [...way] : since);
      since = [];
    }
  }
  return (screen) => sent.get(screen) ?? [screen];
}

function routesOf(screens: Screen[]): Json {
  return fromEntries(screens.map((screen) => [screen.id, targetOf(screen) ? [targetOf(screen)] : []]));
}

function compileScreen({ screen, index }: Step, answered: Screen[], places: Places): Json {
  const at = `builder_json.flow.screens[${index}]`;
  const actions = screen.actions ?? [];
  const isLast = actions.some(ends);
  const links = new Map<string, { action: Action; at: string }>();
  const rest: { action: Action; at: string }[] = [];
  for (const [place, action] of actions.entries()) {
    const own = { action, at: `${at}.actions[${place}]` };
    const isPlaced = action.type === 'open_url' && isLink(screen, action.target) && !links.has(action.target!);
    if (isPlaced) links.set(action.target!, own);
    else rest.push(own);
  }
  const components = (screen.components ?? []).map((component, place) =>
    compileComponent(component, `${at}.components[${place}]`, links.get(component.id), places),
  );
  const loose = rest.filter(({ action }) => action.type === 'open_url');
  const footers = rest.filter(({ action }) => action.type !== 'open_url');
  const compiledScreen = {
    id: screen.id,
    title: screen.title,
    data: {},
    ...(isLast ? { terminal: true, success: true } : {}),
    layout: {
      type: 'SingleColumnLayout',
      children: [
        ...components,
        ...loose.map((one) => linkOf(one.action.label, one, places)),
        ...footers.map((one) => footerOf(one, { screen, answered }, places)),
      ],
    },
  };
  places.add(compiledScreen, at);
  return compiledScreen;
}

const isLink = (screen: Screen, id?: string) =>
  id !== undefined && (screen.components ?? []).some((component) => component.type === 'link' && component.id === id);

function compileComponent(
  component: Component,
  at: string,
  link: { action: Action; at: string } | undefined,
  places: Places,
): Json {
  const { id, type, label, text, required, options } = component;
  const kind = kinds[type];
  if (type === 'link') {
    const made = link ? linkOf(text || link.action.label, link, places) : { type: kind.type, text: text ?? '' };
    places.add(made, at, link && { 'on-click-action': link.at });
    return made;
  }
  const helper = component.helper_text || component.placeholder;
  const made: Json = kind.isInput
    ? {
        type: kind.type,
        name: id,
        label: label ?? '',
        ...(kind.inputType ? { 'input-type': kind.inputType } : {}),
        ...(kind.helper && helper ? { [kind.helper]: helper } : {}),
        ...(required === undefined ? {} : { required }),
        ...(kind.hasOptions ? { 'data-source': (options ?? []).map((option) => ({ id: option.id, title: option.label })) } : {}),
      }
    : { type: kind.type, text: text ?? '' };
  places.add(made, at);
  return made;
}

function linkOf(text: string, { action, at }: { action: Action; at: string }, places: Places): Json {
  const made = { type: 'EmbeddedLink', text, 'on-click-action': { name: 'open_url', url: action.url ?? '' } };
  places.add(made, at, { text: `${at}.label`, 'on-click-action': at });
  return made;
}

type From = { screen: Screen; answered: Screen[] };

function footerOf({ action, at }: { action: Action; at: string }, from: From, places: Places): Json {
  const made = { type: 'Footer', label: action.label, 'on-click-action': onClick(action, from) };
  places.add(made, at, { 'on-click-action': at });
  return made;
}

function onClick({ type, target }: Action, { screen, answered }: From): Json {
  if (type === 'navigate') return { name: 'navigate', next: { type: 'screen', name: target ?? '' }, payload: {} };
  // Answers are not carried in the payload of `navigate`: its button stays disabled until each declared value is there, so that one
  // optional question would stop the person. An endpoint on the way would have to give them back, too.
  const payload = answered.flatMap((asked) =>
    inputsOf(asked).map(({ id }): [string, string] => [
      id,
      asked === screen ? `\${form.${id}}` : `\${screen.${asked.id}.form.${id}}`,
    ]),
  );
  return { name: type, payload: fromEntries(payload) };
}

/** A name such as `__proto__` becomes a property like any other. */
const fromEntries = (entries: [string, unknown][]): Json => Object.fromEntries(entries);
