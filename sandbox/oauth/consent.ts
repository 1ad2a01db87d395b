import type { Request, Response } from 'express';
import type { State } from '../state.ts';
import { calendarClient } from '../tokens.ts';

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

type Query = Record<string, string | undefined>;

/** The page on which a person allows an app to use the calendars; `consent` of the behaviour may answer in the person's place. */
export function consentPage(state: State) {
  return (req: Request, res: Response): void => {
    const query = req.query as Query;
    const fault = faultOf(query);
    if (fault) {
      res.status(400).type('text').send(`Error 400: ${fault}`);
      return;
    }
    const { consent } = state.behaviour;
    if (consent !== 'page') {
      res.redirect(302, consent === 'allow' ? allowed(state, query) : denied(query));
      return;
    }
    const button = (answer: string) =>
      `<a href="?${escaped(new URLSearchParams({ ...(query as Record<string, string>), answer }).toString())}">${answer}</a>`;
    if (query.answer === 'allow' || query.answer === 'deny') {
      res.redirect(302, query.answer === 'allow' ? allowed(state, query) : denied(query));
      return;
    }
    res.type('html').send(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Sandbox: allow access</title>
<h1>Allow access to your calendars?</h1><p>${escaped(query.redirect_uri!)} wants to read and write them.</p>
<p>${button('allow')} ${button('deny')}</p></html>`);
  };
}

function faultOf({ client_id, redirect_uri, response_type, scope, code_challenge_method: method }: Query): string | undefined {
  if (client_id !== calendarClient.id) return 'invalid_client';
  if (!redirect_uri || !URL.canParse(redirect_uri)) return 'redirect_uri_mismatch';
  if (response_type !== 'code') return 'unsupported_response_type';
  if (!scope) return 'invalid_scope';
  return method !== undefined && method !== 'S256' ? 'invalid_request' : undefined;
}

function back({ redirect_uri, state }: Query, more: Record<string, string>): string {
  const url = new URL(redirect_uri!);
  for (const [name, value] of Object.entries({ ...more, ...(state !== undefined && { state }) }))
    url.searchParams.set(name, value);
  return url.href;
}

const denied = (query: Query) => back(query, { error: 'access_denied' });

function allowed(state: State, query: Query): string {
  const code = state.tokens.giveCode({
    service: 'google',
    account: query.login_hint ?? 'person@sandbox.example',
    clientId: query.client_id!,
    redirectUri: query.redirect_uri!,
    challenge: query.code_challenge,
  });
  return back(query, { code, scope: query.scope! });
}
