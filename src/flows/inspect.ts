import { setImmediate as turnOfOthers } from 'node:timers/promises';
import type { BuilderJson } from './document/builder.ts';
import { checkFlow } from './document/check.ts';
import type { FlowFault } from './document/faults.ts';
import type { FlowJson } from './document/flow-json.ts';
import { hashInSlices } from './document/hash.ts';
import { type AnswerLabels, labelsOf, screensOf } from './document/labels.ts';
import type { FlowRow } from './flow-row.ts';

export type Inspected = Pick<FlowRow, 'flow_json' | 'json_version' | 'data_api_version' | 'faults'> & {
  sha256: string;
  labels: AnswerLabels;
  screens: string[];
};

/** Of thousands of faults nobody reads the last, and each is kept with the flow. Errors stay before warnings. */
const maxFaults = 500;
/** The document names its versions itself, and may name nonsense: that is a fault of it, not a version to show. */
const maxVersion = 20;

const versionIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= maxVersion ? value : undefined;

/** The version that a document says it has. */
export const versionOf = (flowJson: FlowJson): string | undefined => versionIn(flowJson.version);
export const dataApiVersionOf = (flowJson: FlowJson): string => versionIn(flowJson.data_api_version) ?? '';

/** `jsonVersion`: of a document that names none. `builder`: what it was compiled from, where the faults are shown then. */
type About = { builder?: BuilderJson; jsonVersion: string };

/** All that is stored with a document. Of a large one no step takes long, and other work has its turn in between. */
export async function inspectDocument(flowJson: FlowJson, about: About): Promise<Inspected> {
  const text = JSON.stringify(flowJson);
  await turnOfOthers();
  const sha256 = await hashInSlices(flowJson);
  const faults = await faultsOf(flowJson, about);
  await turnOfOthers();
  return {
    flow_json: text,
    json_version: versionOf(flowJson) ?? about.jsonVersion,
    data_api_version: dataApiVersionOf(flowJson),
    faults,
    sha256,
    labels: labelsOf(flowJson),
    screens: screensOf(flowJson),
  };
}

export async function faultsOf(flowJson: FlowJson, { builder, jsonVersion }: About): Promise<FlowFault[]> {
  await turnOfOthers();
  const found = checkFlow({
    builder,
    flowJson,
    jsonVersion: versionOf(flowJson) ?? jsonVersion,
    dataApiVersion: dataApiVersionOf(flowJson),
  });
  if (found.length <= maxFaults) return found;
  const errors = found.filter(({ severity }) => severity === 'error');
  return [...errors, ...found.filter(({ severity }) => severity !== 'error')].slice(0, maxFaults);
}
