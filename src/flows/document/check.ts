import { object } from '../../providers/messaging-app/json.ts';
import type { BuilderJson } from './builder.ts';
import { checkBuilder } from './check-builder.ts';
import { checkDocument } from './check-document.ts';
import { compiled } from './compile.ts';
import { Faults, type FlowFault } from './faults.ts';
import { jsonVersions, dataApiVersion as supported } from './limits.ts';

type Checked = { builder?: BuilderJson; flowJson: unknown; jsonVersion: string; dataApiVersion: string };

/**
 * What the provider would refuse, and what would lose a person on the way or an answer. In mode visual the builder is compiled and each fault
 * is shown in it; else `flowJson` is checked as it is.
 */
export function checkFlow({ builder, flowJson, jsonVersion, dataApiVersion }: Checked): FlowFault[] {
  const isVisual = builder?.mode === 'visual';
  const made = isVisual ? compiled(builder, jsonVersion) : undefined;
  const faults = new Faults(made?.places);
  if (!jsonVersions.includes(jsonVersion))
    faults.at('json_version', {
      error: 'UNSUPPORTED_FLOW_JSON_VERSION',
      message: `The version must be one of ${jsonVersions.join(', ')}`,
    });
  if (isVisual) checkBuilder(builder, faults);
  else checkVersions(flowJson, { jsonVersion, dataApiVersion }, faults);
  checkDocument(made?.flowJson ?? flowJson, faults);
  return faults.list();
}

function checkVersions(flowJson: unknown, expected: { jsonVersion: string; dataApiVersion: string }, faults: Faults): void {
  const { version, data_api_version } = object(flowJson);
  if (typeof version === 'string' && version !== expected.jsonVersion)
    faults.at('flow_json.version', {
      error: 'INVALID_FLOW_JSON_VERSION',
      message: `The document has version ${version}, and json_version says ${expected.jsonVersion}`,
    });
  if (data_api_version !== undefined && data_api_version !== supported)
    faults.at('flow_json.data_api_version', {
      error: 'NO_SUPPORTED_DATA_API_VERSION',
      message: `The version must be ${supported}`,
    });
  else if ((data_api_version ?? '') !== expected.dataApiVersion)
    faults.at('flow_json.data_api_version', {
      error: 'NO_SUPPORTED_DATA_API_VERSION',
      message: 'The document and data_api_version differ',
      severity: 'warning',
    });
}
