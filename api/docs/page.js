const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

window.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 4,
  displayRequestDuration: true,
  requestSnippetsEnabled: true,
  showCommonExtensions: true,
  // The default asks a validator elsewhere, and would tell it what is written here.
  validatorUrl: null,
  // An address in the query could have the page show somebody else's document.
  queryConfigEnabled: false,
});
