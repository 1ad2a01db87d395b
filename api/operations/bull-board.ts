import { type ErrorRequestHandler, type RequestHandler, Router } from 'express';
import { recordAct } from '../../src/platform/audit/record.ts';
import { isOurOutage } from '../../src/platform/database/errors.ts';
import { query } from '../../src/platform/database/query.ts';
import { AppError } from '../../src/platform/errors.ts';
import { isParked } from '../../src/platform/ledger/park.ts';
import { stateIs } from '../../src/platform/ledger/states.ts';
import { equalsInConstantTime } from '../../src/platform/secrets.ts';
import { faultIn } from '../../src/platform/storable.ts';
import { clientAddress } from '../http/client-address.ts';
import type { Deps } from '../http/endpoint.ts';
import { lazily } from '../http/lazily.ts';
import { isSameOrigin } from '../http/middleware/origin.ts';

/** Permitted to an operator; any other change of Bull Board would bypass the ledger. */
const allowed: { method: string; path: RegExp; action: string }[] = [
  { method: 'PUT', path: /^\/api\/queues\/[^/]+\/[^/]+\/retry(\/failed)?$/, action: 'queue.job.retry' },
  { method: 'PUT', path: /^\/api\/queues\/[^/]+\/retry\/failed$/, action: 'queue.retry-failed' },
  { method: 'PUT', path: /^\/api\/queues\/[^/]+\/promote$/, action: 'queue.promote-all' },
  { method: 'PUT', path: /^\/api\/queues\/[^/]+\/[^/]+\/promote$/, action: 'queue.job.promote' },
  { method: 'PUT', path: /^\/api\/queues\/[^/]+\/(pause|resume)$/, action: 'queue.pause-or-resume' },
  { method: 'PUT', path: /^\/api\/queues\/(pause|resume)$/, action: 'queues.pause-or-resume' },
];

/** The operator's own credentials: the board shows all tenants' jobs. */
function operatorOnly({ config, loginLimits }: Deps): RequestHandler {
  const expected = `${config.operatorUser}:${config.operatorPassword}`;
  return async (req, res, next) => {
    const [scheme, credentials] = (req.get('authorization') ?? '').split(' ');
    const isRight =
      scheme === 'Basic' && equalsInConstantTime(Buffer.from(credentials ?? '', 'base64').toString('utf8'), expected);
    // Without the database guesses cannot be counted, but then the operator needs the board most.
    if (isRight) await loginLimits.mayGuess(clientAddress(req)).catch(unlessAway);
    if (isRight) return next();
    // Guesses count; the browser's first request without credentials does not.
    if (credentials) await loginLimits.guessedWrong(clientAddress(req));
    res.setHeader('WWW-Authenticate', 'Basic realm="Kanal operations", charset="UTF-8"');
    throw new AppError('unauthorized', "The operator's credentials are needed");
  };
}

function unlessAway(error: unknown) {
  if (!isOurOutage(error)) throw error;
}

function guarded(deps: Deps): RequestHandler {
  return async (req, res, next) => {
    if (req.method === 'GET' || req.method === 'HEAD') return next();
    const rule = allowed.find(({ method, path }) => method === req.method && path.test(req.path));
    if (!rule) throw new AppError('forbidden', 'Bull Board may only retry, promote, pause and resume here');
    if (!isSameOrigin(req, req.secure || (deps.config.publicUrl ?? '').startsWith('https:')))
      throw new AppError('forbidden', 'Changes are taken from this page only');
    if (rule.action === 'queue.promote-all') await promoteQueue(deps, decodeURIComponent(req.path.split('/').at(-2) ?? ''));
    if (rule.action === 'queue.job.promote') await promoteRow(deps, req.path);
    await recordAct(deps.database.em(), {
      organizationId: null,
      actor: `operator:${deps.config.operatorUser}`,
      action: rule.action,
      subject: req.path,
      address: clientAddress(req),
      requestId: String(res.locals.requestId),
    });
    next();
  };
}

/** No queue or job has a name that PostgreSQL's text refuses; this covers the board's own reads too. */
const readablePath: RequestHandler = (req, _res, next) => {
  if (!isReadable(req.path)) throw new AppError('not_found', 'There is no such queue or job');
  next();
};

function isReadable(path: string): boolean {
  try {
    return faultIn(decodeURIComponent(path)) === undefined;
  } catch {
    return false;
  }
}

/** The row decides when the job runs: promoted in BullMQ alone, it would postpone itself again. */
async function promoteRow({ database, queues }: Deps, path: string) {
  const [queue = '', jobId = ''] = path.split('/').slice(-3).map(decodeURIComponent);
  const job = await queues.queue(queue)?.getJob(jobId);
  if (!job) return;
  const { organization_id, id, run } = job.data;
  await query(
    database.em(),
    // SQL: by the database's clock.
    `update jobs
        set run_at = clock_timestamp()
      where organization_id = $1 and id = $2 and run = $3 and ${stateIs('state', 'queued')}`,
    [organization_id, id, run],
  );
}

async function promoteQueue({ database }: Deps, queue: string) {
  await query(
    database.em(),
    // SQL: a set across organizations. What is parked is not in the queue.
    `update jobs
        set run_at = clock_timestamp()
      where queue = $1 and state = 'queued' and run_at > clock_timestamp() and not (${isParked})`,
    [queue],
  );
}

const boardError: ErrorRequestHandler = (error: unknown, _req, res, next) => {
  if (!(error instanceof AppError) || error.code === 'unauthorized') return next(error);
  res.locals.errorCode = error.code;
  if (error.retryAfterSeconds) res.set('Retry-After', String(error.retryAfterSeconds));
  res.status(error.status).json({ error: 'Not done', message: error.message });
};

/** Bull Board, once the queue is there; until then a 503. */
export function bullBoard(deps: Deps): Router {
  let isOpen = false;
  void deps.queues.whenOpen().then(() => {
    isOpen = true;
  });
  const board = lazily(async () => (await import('./board.ts')).board(deps));
  const router = Router();
  router.use(operatorOnly(deps), readablePath, guarded(deps), (_req, _res, next) => {
    if (!isOpen) throw new AppError('unavailable', 'The queue cannot be reached', { retryAfterSeconds: 5 });
    next();
  });
  router.use(board, boardError);
  return router;
}
