import { keyVariables } from '../../providers/endpoints.js';
import { SEARCH_KEYS } from './web/searchProviders.js';

/** Every environment variable that holds a key of ours, for models or for searching: no child process is given one. */
export function allKeyVariables(): string[] {
  return [...keyVariables(), ...Object.values(SEARCH_KEYS)];
}
