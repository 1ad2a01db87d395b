import { object } from '../../providers/messaging-app/json.ts';
import type { Faults } from './faults.ts';
import type { ActionPart, ComponentPart, Model, ScreenPart } from './model.ts';

const actionNames = ['navigate', 'complete', 'data_exchange', 'open_url', 'update_data'];
/** Since version 6.0. */
const laterNames = ['open_url', 'update_data'];

/** What happens when something is pressed, and the answers that are named in it. */
export function checkActions(screen: ScreenPart, model: Model, faults: Faults): void {
  for (const action of screen.actions) checkAction(action, screen, model, faults);
  checkReferences(screen, model, faults);
}

function checkAction({ action, on, component }: ActionPart, screen: ScreenPart, model: Model, faults: Faults): void {
  const { name, payload } = action;
  const add = (property: string, error: string, message: string) => {
    faults.add(component, `${on}.${property}`, { error, message });
  };
  if (typeof name !== 'string' || !actionNames.includes(name)) {
    add('name', 'INVALID_ENUM_VALUE', `The action must be one of ${actionNames.join(', ')}`);
    return;
  }
  if (laterNames.includes(name) && String(model.part.version).startsWith('5.'))
    add('name', 'INVALID_PROPERTY_VALUE', `The action ${name} needs version 6.0`);
  if (name === 'open_url') {
    if (typeof action.url !== 'string' || !/^https?:\/\/\S+$/.test(action.url))
      add('url', 'INVALID_PROPERTY_VALUE_FORMAT', 'The action open_url needs an address that begins with https://');
    return;
  }
  if (name === 'navigate') checkTarget({ action, on, component }, screen, model, faults);
  if (name === 'complete' && screen.part.terminal !== true)
    add('name', 'INVALID_COMPLETE_ACTION', 'Only a terminal screen can complete the flow');
  if (name === 'data_exchange' && !model.hasEndpoint)
    add('name', 'MISSING_REQUIRED_PROPERTY', 'The action data_exchange needs data_api_version');
  if (payload === null || typeof payload !== 'object' || Array.isArray(payload))
    add('payload', 'MISSING_REQUIRED_PROPERTY', `The action ${name} needs its payload, which may be empty`);
}

/** The button of `navigate` stays disabled until its payload has all that the next screen declares. */
function checkTarget({ action, on, component }: ActionPart, screen: ScreenPart, { byId }: Model, faults: Faults): void {
  const { name } = object(action.next);
  const add = (error: string, message: string, property: string) => {
    faults.add(component, `${on}.${property}`, { error, message });
  };
  const target = typeof name === 'string' ? byId.get(name) : undefined;
  if (!target || target.id === screen.id) {
    const message = target ? 'A screen cannot lead to itself' : `There is no screen ${shown(name)} to go to`;
    add('INVALID_NAVIGATE_ACTION_NEXT_SCREEN_NAME', message, 'next.name');
    return;
  }
  // Thousands of actions that lead to a screen with thousands of names: their product is compared.
  if (faults.isFull) return;
  const given = new Set(Object.keys(object(action.payload)));
  for (const name of target.data)
    if (!given.has(name))
      add('INVALID_NAVIGATE_ACTION_PAYLOAD', `The screen ${target.id} expects ${name}, which is not in the payload`, 'payload');
  for (const name of given)
    if (!target.data.has(name))
      add('INVALID_NAVIGATE_ACTION_PAYLOAD', `The screen ${target.id} does not declare ${name} in its data`, `payload.${name}`);
}

const shown = (name: unknown) => (typeof name === 'string' && name !== '' ? name : '(none)');

/** After the name comes a dot or the end: a name that could end anywhere would be tried at each of its letters. */
export const reference = /^\$\{(?:screen\.([^.}]+)\.)?(form|data)\.([^.}]+)(?:\.[^}]*)?\}$/;

/** Texts and parts of a payload that are filled in on the phone. */
function checkReferences(screen: ScreenPart, model: Model, faults: Faults): void {
  const look = (value: unknown, component: ComponentPart, at: string) => {
    if (typeof value !== 'string' || !value.startsWith('${')) return;
    const fault = faultOf(value, screen, model);
    if (fault) faults.add(component, at, fault);
  };
  for (const component of screen.components)
    for (const [property, value] of Object.entries(component.part)) look(value, component, property);
  for (const { action, on, component } of screen.actions)
    for (const [name, value] of Object.entries(object(action.payload))) look(value, component, `${on}.payload.${name}`);
}

function faultOf(text: string, screen: ScreenPart, { byId }: Model): { error: string; message: string } | undefined {
  const [, screenId, store, name] = reference.exec(text) ?? [];
  if (name === undefined) return undefined;
  const from = screenId === undefined ? screen : byId.get(screenId);
  if (!from) return { error: 'INVALID_SCREEN_DYNAMIC_DATA', message: `${text} is of a screen that is not there` };
  const known = store === 'form' ? from.inputs : from.data;
  if (known.has(name)) return undefined;
  return store === 'form'
    ? { error: 'INVALID_ON_CLICK_ACTION_PAYLOAD', message: `No component of the screen ${from.id} has the name in ${text}` }
    : { error: 'INVALID_SCREEN_DYNAMIC_DATA', message: `The screen ${from.id} does not declare the data of ${text}` };
}
