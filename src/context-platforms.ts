/** The platforms of this build by name, for work that needs the facts of some and the schema of no kind. */
export { platforms } from '../adapters/index.ts';
