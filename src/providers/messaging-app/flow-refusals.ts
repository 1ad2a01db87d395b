import { ProviderRefused } from '../errors.ts';
import type { FlowCalls } from './flow-calls.ts';

/** Beyond the code: 100 alone has several meanings. `other`: none of these. */
export type FlowRefusalReason =
  | 'gone'
  | 'name_taken'
  | 'json_version'
  | 'data_api_version'
  | 'endpoint_uri'
  | 'clone_source'
  | 'integrity'
  | 'not_editable'
  | 'not_publishable'
  | 'not_deprecatable'
  | 'not_deletable'
  /** Of ours: what the provider gives cannot be kept, and will not be another time. */
  | 'unstorable'
  | 'other';

export class FlowRefused extends ProviderRefused {
  readonly reason: FlowRefusalReason;
  constructor(refused: ProviderRefused, reason: FlowRefusalReason) {
    const { providerCode, stopsChannel } = refused;
    super(refused.message, {
      cause: refused,
      ...(providerCode !== null && { code: providerCode }),
      ...(stopsChannel && { stopsChannel }),
    });
    this.reason = reason;
  }
}

const byCode: Record<string, FlowRefusalReason> = {
  '139000': 'integrity',
  '139001': 'not_editable',
  '139002': 'not_publishable',
  '139003': 'not_deprecatable',
  '139004': 'not_deletable',
  http_404: 'gone',
};

/** Of code 100, from the provider's page of error codes; the first that fits. Its words are all there is to tell them apart. */
const byWords: [RegExp, FlowRefusalReason][] = [
  [/not unique|name is already/i, 'name_taken'],
  [/data_api_version|data api version/i, 'data_api_version'],
  [/json version/i, 'json_version'],
  [/clone source/i, 'clone_source'],
  [/endpoint[ _]?uri/i, 'endpoint_uri'],
  [/does not exist/i, 'gone'],
];

export function flowReasonOf({ providerCode, message }: ProviderRefused): FlowRefusalReason {
  if (providerCode === '100') return byWords.find(([words]) => words.test(message))?.[1] ?? 'other';
  return byCode[providerCode ?? ''] ?? 'other';
}

type Call = (...given: never[]) => Promise<unknown>;

/** Every refusal of these calls says why. */
export function withReason(calls: FlowCalls): FlowCalls {
  const reasoned =
    (call: Call): Call =>
    async (...given) => {
      try {
        return await call(...given);
      } catch (error) {
        if (!(error instanceof ProviderRefused) || error instanceof FlowRefused) throw error;
        throw new FlowRefused(error, flowReasonOf(error));
      }
    };
  return Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, reasoned(call)])) as unknown as FlowCalls;
}
