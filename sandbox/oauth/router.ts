import express, { type NextFunction, type Request, Router } from 'express';
import { answer, type ServiceResponse, serviceIntake } from '../services/intake.ts';
import type { State } from '../state.ts';
import { consentPage } from './consent.ts';
import { type Granted, grantOf, OAuthError, videoGrant } from './grants.ts';

export const videoTokenPath = '/video/oauth/token';

const errorBody = (status: number) => ({ error: status === 429 ? 'rate_limit_exceeded' : 'internal_failure' });

/** Consent and access tokens of the calendar and video services. */
export function oauthRouter(state: State): Router {
  const router = Router();
  // The form is read after the log: it has the credentials.
  const intake = [serviceIntake(state, errorBody), express.urlencoded({ extended: false, limit: '64kb' })];
  const formOf = (req: Request) => (req.body ?? {}) as Record<string, string | undefined>;

  router.get('/oauth2/auth', serviceIntake(state, errorBody), consentPage(state));
  router.post('/oauth2/token', ...intake, (req, res: ServiceResponse) => {
    const granted = grantOf(state, formOf(req));
    answer(res, 200, { ...given(state, granted), token_type: 'Bearer' });
  });
  router.post(videoTokenPath, ...intake, (req, res: ServiceResponse) => {
    const granted = videoGrant(state, { ...queryOf(req), ...formOf(req) }, req.headers.authorization);
    answer(res, 200, { ...given(state, granted), token_type: 'bearer', api_url: 'https://api.zoom.us' });
  });
  router.use((error: unknown, _req: Request, res: ServiceResponse, next: NextFunction) => {
    if (error instanceof OAuthError) answer(res, error.status, error.body);
    else next(error);
  });
  return router;
}

const queryOf = (req: Request) => req.query as Record<string, string | undefined>;

function given(state: State, { grant, source, scope, refreshToken }: Granted) {
  const seconds = state.behaviour.token_seconds;
  return {
    access_token: state.tokens.give(grant, source, seconds),
    expires_in: seconds,
    ...(scope && { scope }),
    ...(refreshToken && { refresh_token: refreshToken }),
  };
}
