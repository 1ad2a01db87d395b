import { violatedConstraint } from '../platform/database/errors.ts';
import { AppError } from '../platform/errors.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { TenantTransact } from '../platform/ledger/tenant.ts';
import { assertRoom, local } from './create.ts';
import { Flow } from './flow.entity.ts';
import { keepVersion } from './keep-version.ts';
import { faultOf } from './outcome.ts';
import type { Read } from './take-provider.ts';
import { channelColumns, documentColumns } from './write.ts';

export const newFlowId = uuidv7;

export type Imported = 'imported' | 'name_taken' | 'full';

/** A flow that the provider has and we have not. It has no local changes. One that is here already is `imported`. */
export async function importFlow(
  transact: TenantTransact,
  { id, channelId }: { id: string; channelId: string },
  { flow: there, document, readAt }: Read & { document: NonNullable<Read['document']> },
): Promise<Imported> {
  try {
    return await transact({}, async ({ own }): Promise<Imported> => {
      await assertRoom(own);
      await own.insert(Flow, {
        ...local,
        ...documentColumns(document),
        ...(await channelColumns(own, channelId)),
        id,
        name: there.name,
        category: there.categories[0] ?? 'other',
        categories: there.categories.length > 0 ? there.categories : ['other'],
        status: there.status,
        provider_flow_id: there.id,
        provider_version: 1,
        provider_faults: there.validationErrors.map(faultOf),
        pushed_sha256: document.sha256,
        pushed_name: there.name,
        pushed_categories: there.categories.length > 0 ? there.categories : ['other'],
        base_sha256: document.sha256,
        preview_url: there.previewUrl,
        preview_expires_at: there.previewExpiresAt?.toISOString() ?? null,
        published_at: there.status === 'draft' ? null : readAt,
        ...{ synced_at: readAt, status_at: readAt, told_at: readAt },
      });
      await keepVersion(own, id, { labels: document.labels, screens: document.screens, why: 'import', actor: '' });
      return 'imported';
    });
  } catch (error) {
    if (error instanceof AppError && error.code === 'limit_reached') return 'full';
    const violated = violatedConstraint(error);
    if (violated === 'flows_provider') return 'imported';
    if (violated === 'flows_name') return 'name_taken';
    throw error;
  }
}
