import { isDeepStrictEqual } from 'node:util';
import { invalidField } from '../platform/errors.ts';
import type { BuilderJson } from './document/builder.ts';
import { compileFlow } from './document/compile.ts';
import type { FlowJson } from './document/flow-json.ts';
import { jsonVersions } from './document/limits.ts';
import type { FlowHead } from './flow-row.ts';
import { type Inspected, inspectDocument, versionOf } from './inspect.ts';

/** What a client gives of a document: builder_json in mode visual, or flow_json. */
export type GivenDocument = { builder_json?: BuilderJson; flow_json?: FlowJson; json_version?: string };
export type NewDocument = Inspected & { builder_json: BuilderJson };

export const defaultJsonVersion = '7.2';
/** The format of `builder_json`. */
export const builderVersion = 1;

const notInVisual = () =>
  invalidField(
    'flow_json',
    'In mode visual flow_json is made of builder_json: leave it out, or give builder_json in mode json with it',
    'flow_json.visual',
  );

/** Of a new flow, which gets this id. Throws 422. */
export async function newDocument(given: GivenDocument, { id, name }: { id: string; name: string }): Promise<NewDocument> {
  const { builder_json: builder, flow_json: flowJson, json_version: jsonVersion = defaultJsonVersion } = given;
  if (builder?.mode === 'visual') {
    if (flowJson !== undefined) throw notInVisual();
    return compiledDocument(builder, jsonVersion);
  }
  if (flowJson === undefined) throw invalidField('flow_json', 'flow_json is required in mode json', 'any.required');
  return ownDocument(flowJson, builder ?? jsonBuilder(id, name), given.json_version ?? defaultJsonVersion, given.json_version);
}

/** Undefined: it is the present one. Throws 422. */
export async function changedDocument(
  given: GivenDocument,
  flow: FlowHead,
  readPresent: () => Promise<FlowJson>,
): Promise<NewDocument | undefined> {
  const { builder_json, flow_json, json_version } = given;
  if (builder_json === undefined && flow_json === undefined && json_version === undefined) return undefined;
  const builder = builder_json ?? flow.builder_json;
  const document =
    builder.mode === 'visual'
      ? await visualDocument(given, flow, builder)
      : await ownDocument(flow_json ?? (await readPresent()), builder, json_version ?? flow.json_version, json_version);
  const isSame =
    document.sha256 === flow.local_sha256 &&
    document.json_version === flow.json_version &&
    isDeepStrictEqual(document.builder_json, flow.builder_json);
  return isSame ? undefined : document;
}

async function visualDocument({ flow_json, json_version }: GivenDocument, flow: FlowHead, builder: BuilderJson) {
  if (flow_json !== undefined) throw notInVisual();
  // A client's own document may have had a version that we do not write.
  const present = jsonVersions.includes(flow.json_version) ? flow.json_version : defaultJsonVersion;
  return compiledDocument(builder, json_version ?? present);
}

async function compiledDocument(builder: BuilderJson, jsonVersion: string): Promise<NewDocument> {
  const inspected = await inspectDocument(compileFlow(builder, jsonVersion), { builder, jsonVersion });
  return { ...inspected, builder_json: builder };
}

/** `given`: the version that the request names beside the document, which says its own. */
async function ownDocument(
  flowJson: FlowJson,
  builder: BuilderJson,
  jsonVersion: string,
  given: string | undefined,
): Promise<NewDocument> {
  const version = versionOf(flowJson);
  if (given !== undefined && version !== undefined && given !== version)
    throw invalidField('json_version', `flow_json has the version ${version}`, 'json_version.differs');
  return { ...(await inspectDocument(flowJson, { jsonVersion })), builder_json: builder };
}

/** Of a flow whose document is the client's own. */
export const jsonBuilder = (id: string, name: string): BuilderJson => ({ mode: 'json', flow: { id, name, screens: null } });

/** Compiles and checks, and stores nothing. Throws 422. */
export async function compiledFlow(builder: BuilderJson, jsonVersion = defaultJsonVersion): Promise<Inspected> {
  if (builder.mode !== 'visual')
    throw invalidField('builder_json.mode', 'Only screens can be compiled: mode must be visual', 'builder_json.mode');
  return compiledDocument(builder, jsonVersion);
}
