/** @type {Partial<import('typedoc').TypeDocOptions>} */
export default {
  // The site's API reference links back to its other pages.
  ...(process.env.SITE_BASE ? { navigationLinks: { Documentation: process.env.SITE_BASE } } : {}),
  entryPoints: ['lib/index.ts'],
  tsconfig: 'tsconfig.build.json',
  out: 'temp/reference',
  readme: 'none',
  excludeInternal: true,
  excludePrivate: true,
  excludeExternals: true,
  disableSources: true,
  // Members are api-extractor's: it leaves the rows of tables alone.
  requiredToBeDocumented: ['Class', 'Interface', 'Function', 'Variable', 'TypeAlias', 'Method', 'Accessor'],
  // npm run typecheck finds them.
  skipErrorChecking: true,
  validation: { invalidLink: true, notExported: false, notDocumented: true },
  treatWarningsAsErrors: true,
};
