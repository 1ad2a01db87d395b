import { Router } from 'express';
import type { Deps } from '../http/endpoint.ts';
import { htmlPage } from './html-page.ts';
import { boardPath, consolePath, docsPath } from './paths.ts';

type Place = { path: string; name: string; what: string };

const places: Place[] = [
  { path: docsPath, name: 'Documentation', what: 'Every endpoint with examples; requests can be tried there.' },
  {
    path: consolePath,
    name: 'Console',
    what: 'For members: webhook endpoints, deliveries and their replay, messages, operations, API keys.',
  },
  { path: '/openapi.json', name: 'OpenAPI document', what: 'For generated clients.' },
  { path: '/readyz', name: 'Readiness', what: 'Whether this process can answer requests, and the state of the queue.' },
];
const board: Place = {
  path: boardPath,
  name: 'Queues',
  what: 'Bull Board, for the operator. It asks for a name and a password.',
};

const itemOf = ({ path, name, what }: Place) => `<li><a href="${path.slice(1)}">${name}</a><br>${what}</li>`;

/** For people who open the API's address in a browser. */
export function frontPage({ config }: Pick<Deps, 'config'>): Router {
  const shown = config.operatorPassword ? [...places, board] : places;
  const html = htmlPage({
    title: 'Kanal',
    head: `<style>
      body { font: 1rem / 1.5 system-ui, sans-serif; max-width: 36rem; margin: 10vh auto 2rem; padding: 0 1.5rem; }
      li { margin-bottom: 0.75rem; }
    </style>`,
    body: `      <h1>Kanal</h1>
      <p>This is the HTTP API of a Kanal installation: messaging, CRM and commerce. Clients call it under <code>/v1</code> with an API key.</p>
      <ul>
        ${shown.map(itemOf).join('\n        ')}
      </ul>
      <p>How to install and operate it is in <code>README.md</code> and <code>docs/</code> of its source.</p>`,
  });
  return Router().get('/', (_req, res) => void res.set('Cache-Control', 'no-cache').type('html').send(html));
}
