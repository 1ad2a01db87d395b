// Runs after `npm ci`, also under an older Node than the pinned one (--omit=dev): plain CommonJS, and no fault of it ends an install.
import('./bundle-packages.ts').catch((error) => {
  console.warn(`Kanal: the packages stay as they are, and a start takes longer: ${error.message}`);
});
