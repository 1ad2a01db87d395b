import { Flow } from '../../src/flows/flow.entity.ts';
import { driftOf } from '../../src/flows/sides.ts';
import type { Outcome, RunContext } from '../handler.ts';

/** `name`: a draft of the flow's name that is another flow. `remote`: the hash of the document that the provider has. */
export type Conflict = { about: 'document' | 'metadata' | 'name'; remote: string | null };

const messages: Record<Conflict['about'], string> = {
  document:
    "The provider's document has changed since the last exchange, and neither document was touched. A sync with `take=provider` takes it; a push or publish with `force` replaces it",
  metadata:
    "The provider's name or categories have changed since the last exchange, and neither side was touched. A sync with `take=provider` takes them; a push or publish with `force` replaces them",
  name: 'The account has a draft of this name with another document: it was not touched. Rename or delete this flow and import that one, or rename this flow and push it',
};

/** It says so until somebody decides; of the name, until the next push. */
export const failDrifted = (context: RunContext<unknown>, id: string, { about, remote }: Conflict): Promise<Outcome> =>
  context.fail(
    { code: 'conflict', message: messages[about] },
    {
      async work({ own }) {
        const flow = await own.findOne(Flow, { id });
        if (!flow) return;
        // Names are unique there: no creation of ours has succeeded.
        if (about === 'name') Object.assign(flow, { asked_at: null, pushed_name: null, pushed_categories: null });
        else if (flow.drift?.provider_sha256 !== (remote ?? '')) flow.drift = driftOf(remote);
      },
    },
  );
