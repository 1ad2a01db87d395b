const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

/** A key that was entered stays for a reload and goes with the tab. */
const keptAs = 'kanal-authorized';
const remembering = (original, system) => (given) => {
  const result = original(given);
  sessionStorage.setItem(keptAs, JSON.stringify(system.authSelectors.authorized()));
  return result;
};
const keepKeys = () => ({ statePlugins: { auth: { wrapActions: { authorize: remembering, logout: remembering } } } });

const ui = window.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  // A list of all operations draws only what is in sight: neither a link into it nor the browser's search finds the rest.
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 4,
  displayRequestDuration: true,
  requestSnippetsEnabled: true,
  showCommonExtensions: true,
  // The default asks a validator elsewhere, and would tell it what is written here.
  validatorUrl: null,
  // An address in the query could have the page show somebody else's document.
  queryConfigEnabled: false,
  plugins: [keepKeys],
  onComplete() {
    const kept = sessionStorage.getItem(keptAs);
    if (kept) ui.authActions.authorize(JSON.parse(kept));
  },
});
