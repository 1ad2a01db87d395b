import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { get, whenSessionEnds } from './api.js';
import { LogIn } from './log-in.js';
import { Refused } from './parts.js';
import { Shell } from './shell.js';
import { html } from './view.js';

/** Whoever is logged in sees the console, anybody else the form; the address stays, so that a link leads on after it. */
function Console() {
  const [known, set] = useState({});
  const look = async () => {
    try {
      set({ me: (await get('auth/me')).data });
    } catch (problem) {
      set(problem.status === 401 ? { me: null } : { problem });
    }
  };
  useEffect(() => {
    whenSessionEnds(() => set({ me: null }));
    look();
  }, []);
  if (known.problem) return html`<main><${Refused} problem=${known.problem} /></main>`;
  if (known.me === undefined) return html`<main><p class="quiet">Loading…</p></main>`;
  return known.me ? html`<${Shell} me=${known.me} changed=${look} />` : html`<${LogIn} done=${look} />`;
}

render(html`<${Console} />`, document.getElementById('console'));
