import { type Json, object } from '../../providers/messaging-app/json.ts';
import { checkActions } from './check-actions.ts';
import { checkComponents } from './check-components.ts';
import { checkRoutes } from './check-routes.ts';
import type { Faults, Place } from './faults.ts';
import { jsonVersions, limits } from './limits.ts';
import { type Model, modelOf, type ScreenPart } from './model.ts';

const rootKeys = ['version', 'data_api_version', 'routing_model', 'screens'];
const screenKeys = ['id', 'title', 'data', 'terminal', 'success', 'refresh_on_back', 'sensitive', 'layout'];

/** The provider's rules about a document, whoever made it. What it may have added lately, a new type of component, is let through. */
export function checkDocument(flowJson: unknown, faults: Faults): void {
  if (flowJson === null || typeof flowJson !== 'object' || Array.isArray(flowJson)) {
    faults.at('flow_json', { error: 'INVALID_FLOW_JSON', message: 'The document must be an object' });
    return;
  }
  const model = modelOf(flowJson);
  checkRoot(model, faults);
  const ids = new Set<string>();
  for (const screen of model.screens) {
    checkScreen(screen, model, faults);
    if (screen.id !== '' && ids.has(screen.id))
      faults.add(screen, 'id', { error: 'DUPLICATE_SCREEN_IDS', message: `Another screen has the id ${screen.id}` });
    ids.add(screen.id);
    checkComponents(screen, faults);
    checkActions(screen, model, faults);
  }
  if (model.screens.length > 0) checkRoutes(model, faults);
}

function checkRoot({ part, screens, hasEndpoint }: Model, faults: Faults): void {
  const root = { part, path: '' };
  checkKeys(root, part, rootKeys, faults);
  if (typeof part.version !== 'string')
    faults.add(root, 'version', { error: 'MISSING_FLOW_JSON_VERSION', message: 'The version must be a text such as 7.2' });
  else if (!jsonVersions.includes(part.version))
    faults.add(root, 'version', {
      error: 'UNSUPPORTED_FLOW_JSON_VERSION',
      message: `The version must be one of ${jsonVersions.join(', ')}`,
    });
  const { min, max } = limits.screens;
  if (screens.length < min)
    faults.add(root, 'screens', { error: 'MIN_ITEMS_REQUIRED', message: 'A flow needs at least one screen' });
  if (screens.length > max)
    faults.add(root, 'screens', {
      error: 'MAX_SCREENS_NUMBER',
      message: `A flow has at most ${max} screens`,
    });
  const asks = screens.some(({ actions }) => actions.some(({ action }) => action.name === 'data_exchange'));
  if (hasEndpoint && !asks && !screens.some((screen) => screen.part.refresh_on_back === true))
    faults.add(root, 'data_api_version', {
      error: 'INVALID_PROPERTY_VALUE',
      message: 'No action asks the endpoint: without one, leave data_api_version and routing_model out',
      severity: 'warning',
    });
  if (hasEndpoint && part.routing_model === undefined)
    faults.add(root, 'routing_model', {
      error: 'MISSING_REQUIRED_PROPERTY',
      message: 'A flow with data_api_version needs its routing_model',
    });
}

function checkScreen(screen: ScreenPart, { hasEndpoint }: Model, faults: Faults): void {
  const { part, id, components } = screen;
  checkKeys(screen, part, screenKeys, faults);
  if (id === '') faults.add(screen, 'id', { error: 'MISSING_REQUIRED_PROPERTY', message: 'A screen needs its id' });
  else if (!/^[A-Za-z_]+$/.test(id))
    faults.add(screen, 'id', { error: 'PATTERN_MISMATCH', message: 'The id must have letters and underscores only' });
  if (id.toUpperCase() === 'SUCCESS')
    faults.add(screen, 'id', { error: 'SCREEN_ID_IS_RESERVED_KEYWORD', message: `The id ${id} is reserved by the provider` });
  expectType(screen, part, 'title', 'string', faults);
  expectType(screen, part, 'terminal', 'boolean', faults);
  expectType(screen, part, 'success', 'boolean', faults);
  expectType(screen, part, 'refresh_on_back', 'boolean', faults);
  if (part.success !== undefined && part.terminal !== true)
    faults.add(screen, 'success', { error: 'INVALID_PROPERTY_VALUE', message: 'Only a terminal screen has success' });
  if (part.refresh_on_back === true && !hasEndpoint)
    faults.add(screen, 'refresh_on_back', {
      error: 'INVALID_PROPERTY_VALUE',
      message: 'Only a flow with data_api_version can refresh a screen',
    });
  for (const [name, schema] of Object.entries(object(part.data)))
    if (typeof object(schema).type !== 'string')
      faults.add(screen, `data.${name}`, { error: 'INVALID_SCREEN_DATA', message: `The data ${name} needs its type` });
  const layout = object(part.layout);
  if (layout.type !== 'SingleColumnLayout')
    faults.add(screen, 'layout.type', {
      error: 'INVALID_PROPERTY_VALUE',
      message: 'The layout of a screen must be SingleColumnLayout',
    });
  if (!Array.isArray(layout.children))
    faults.add(screen, 'layout.children', { error: 'MISSING_REQUIRED_PROPERTY', message: 'A layout needs its children' });
  if (part.terminal === true && !components.some(({ type }) => type === 'Footer'))
    faults.add(screen, '', { error: 'MISSING_FOOTER_ON_TERMINAL_SCREEN', message: 'A terminal screen needs a footer' });
}

function checkKeys(place: Place, part: Json, known: string[], faults: Faults): void {
  for (const key of Object.keys(part))
    if (!known.includes(key))
      faults.add(place, key, { error: 'INVALID_PROPERTY_KEY', message: `The property ${key} cannot be specified here` });
}

function expectType(place: Place, part: Json, property: string, type: 'string' | 'boolean', faults: Faults): void {
  if (part[property] !== undefined && typeof part[property] !== type)
    faults.add(place, property, { error: 'INVALID_PROPERTY_TYPE', message: `${property} must be a ${type}` });
}
