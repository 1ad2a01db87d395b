import { GraphError } from '../graph/errors.ts';
import { checkActions, checkBindings } from './action-rules.ts';
import { DocumentFaults, type Fields, isFields, type ValidationError } from './faults.ts';
import { type PlacedJson, readPlacedJson } from './json-places.ts';
import { checkRoutes } from './route-rules.ts';
import { checkProperties, readScreen, type Screen } from './screen-rules.ts';

/** Those that can be published; an older one is shown and no more. */
const versions = ['5.0', '5.1', '6.0', '6.1', '6.2', '6.3', '7.0', '7.1', '7.2', '7.3'];
const dataApiVersions = ['3.0'];
const maxBytes = 10 * 1024 * 1024;

export interface FlowDocument {
  text: string;
  version: string;
  dataApiVersion: string | null;
  screens: string[];
  validationErrors: ValidationError[];
}

const refused = (title: string, userMessage: string) => new GraphError(100, { message: 'Invalid parameter', title, userMessage });

const rootRules = {
  required: { version: () => undefined, screens: () => undefined },
  optional: {
    data_api_version: () => undefined,
    routing_model: (value: unknown) => (isFields(value) ? undefined : 'Expected property to be of type "object"'),
    data_channel_uri: () => undefined,
  },
};

/** Refuses what cannot be kept at all; what is kept says its faults. */
export function readDocument(text: string): FlowDocument {
  if (Buffer.byteLength(text) > maxBytes) throw refused('File too large', 'The Flow JSON file must be at most 10 MB.');
  const json = parse(text);
  const { value } = json;
  if (!isFields(value))
    throw new GraphError(139001, { title: 'Error while processing Flow JSON', userMessage: 'It is no object.' });
  const { version, data_api_version: dataApiVersion } = value;
  if (typeof version !== 'string' || !versions.includes(version))
    throw refused('Invalid Flow JSON version', `The Flow JSON version ${String(version)} is not valid.`);
  if (dataApiVersion !== undefined && !dataApiVersions.includes(dataApiVersion as string))
    throw refused('Invalid Flow JSON data_api_version', `The data_api_version ${String(dataApiVersion)} is not valid.`);
  const { screens, faults } = examine(json, value);
  return { text, version, dataApiVersion: (dataApiVersion as string | undefined) ?? null, screens, validationErrors: faults };
}

function parse(text: string): PlacedJson {
  try {
    return readPlacedJson(text);
  } catch (error) {
    throw new GraphError(139001, { title: 'Error while processing Flow JSON', userMessage: (error as Error).message });
  }
}

function examine(json: PlacedJson, value: Fields): { screens: string[]; faults: ValidationError[] } {
  const faults = new DocumentFaults(json);
  checkProperties(faults, value, '', rootRules);
  const isEndpointFlow = value.data_api_version !== undefined;
  if (isEndpointFlow && value.routing_model === undefined)
    faults.flow('REQUIRED_PROPERTY_MISSING', '', 'The property "routing_model" is required in a flow with "data_api_version".');
  const screens = new Map<string, Screen>();
  const list = value.screens;
  if (!Array.isArray(list) || list.length === 0) {
    faults.schema('INVALID_PROPERTY_VALUE', 'screens', 'Expected "screens" to be a list of one screen or more.');
    return { screens: [], faults: faults.all };
  }
  for (const [index, one] of list.entries()) {
    const screen = readScreen(faults, one, `screens[${index}]`);
    if (!screen) continue;
    if (screens.has(screen.id))
      faults.flow('DUPLICATE_SCREEN_IDS', `screens[${index}].id`, `The screen id "${screen.id}" is used twice.`);
    screens.set(screen.id, screen);
  }
  for (const screen of screens.values())
    checkBindings(faults, screens, screen, withoutActions(screen.layout), `${screen.path}.layout`);
  checkActions(faults, screens, isEndpointFlow);
  checkRoutes(faults, screens, value.routing_model);
  return { screens: [...screens.keys()], faults: faults.all };
}

/** The bindings of actions are looked at with the action. */
function withoutActions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutActions);
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, name.endsWith('-action') ? null : withoutActions(one)]),
  );
}
