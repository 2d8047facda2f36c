import { basename, dirname, join, resolve } from 'node:path';

/** Where the agent's home and its config.json lie. */
export interface HomePaths {
  home: string;
  config: string;
}

/**
 * Finds the home: `--home`, then `NANOBOT_HOME`, then the setting, then `~/.nanobot/workspace`; and config.json: `--config`, then
 * `NANOBOT_CONFIG`, then beside a home named `workspace`, else in its `.nanobot` folder. `~` is the person's home folder.
 */
export function findHome(options: {
  flagHome?: string | undefined;
  flagConfig?: string | undefined;
  setting?: string | undefined;
  env: Record<string, string | undefined>;
  userHome: string;
}): HomePaths {
  const { flagHome, flagConfig, setting, env, userHome } = options;
  const chosen = [flagHome, env['NANOBOT_HOME'], setting].find((path) => path !== undefined && path !== '');
  const home = absolute(chosen ?? '~/.nanobot/workspace', userHome);
  const config = [flagConfig, env['NANOBOT_CONFIG']].find((path) => path !== undefined && path !== '');
  if (config !== undefined) return { home, config: absolute(config, userHome) };
  const beside = basename(home) === 'workspace';
  return { home, config: beside ? join(dirname(home), 'config.json') : join(home, '.nanobot', 'config.json') };
}

function absolute(path: string, userHome: string): string {
  if (path === '~') return userHome;
  return /^~[\\/]/.test(path) ? join(userHome, path.slice(2)) : resolve(path);
}
