import { Flow } from '../../src/flows/flow.entity.ts';
import { driftOf } from '../../src/flows/sides.ts';
import type { Outcome, RunContext } from '../handler.ts';

const conflict = {
  code: 'conflict',
  message:
    "The provider's document has changed since the last exchange, and neither document was touched. A sync with `take=provider` takes it; a push or publish with `force` replaces it",
};

/** `remote`: the hash of what the provider has. It says so until somebody decides. */
export const failDrifted = (context: RunContext<unknown>, id: string, remote: string | null): Promise<Outcome> =>
  context.fail(conflict, {
    async work({ own }) {
      const flow = await own.findOne(Flow, { id });
      if (flow && flow.drift?.provider_sha256 !== (remote ?? '')) flow.drift = driftOf(remote);
    },
  });
