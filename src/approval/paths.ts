import type { Workspace } from '../platform/ports.js';
import type { Words } from '../platform/words.js';
import { isInside, isUri, styleOf } from './pathText.js';
import { sensitiveName } from './sensitive.js';

/** Where a path lies, after symbolic links. `own`: the agent's home; `free`: a folder of ours that may always be read. */
export type Place = 'workspace' | 'own' | 'free' | 'outside';

export interface PathFacts {
  /** As asked, absolute. */
  path: string;
  /** With symbolic links followed as far as it exists. */
  real: string;
  place: Place;
  /** Why it is sensitive, or undefined. */
  sensitive: Words | undefined;
  /** True for history.jsonl and the cursors, which only the agent's own code writes. */
  journal: boolean;
}

/** The fixed places that paths are compared with. All absolute. */
export interface Places {
  /** The agent's home. */
  home: string;
  /** Its config.json. */
  configFile: string;
  /** Folders that may be read freely though they lie outside: spilled results, built-in skills. */
  freeReads: readonly string[];
  /** The person's own home folder. */
  userHome: string;
  /** True where the disk takes `A` and `a` for the same name (Windows, macOS). */
  ignoreCase: boolean;
}

export type PathJudge = (path: string) => Promise<PathFacts>;

/** The files that only the agent's own code may write. */
export function journalFiles(home: string): string[] {
  const style = styleOf(home);
  return ['history.jsonl', '.cursor', '.dream_cursor'].map((name) => style.join(home, 'memory', name));
}

/**
 * Opens a judge of paths for one decision: symbolic links of the folders are followed once, those of each path when it is asked. A path that
 * cannot be followed counts as outside.
 */
export async function openPathJudge(workspace: Workspace, places: Places): Promise<PathJudge> {
  const { ignoreCase } = places;
  const follow = async (path: string) => (await realPath(workspace, path)) ?? path;
  const folders = await Promise.all(workspace.folders().map((folder) => follow(folder.path)));
  const home = await follow(places.home);
  const config = await follow(places.configFile);
  const free = await Promise.all(places.freeReads.map(follow));
  const journals = [...journalFiles(places.home), ...journalFiles(home)];
  const settings = styleOf(home).join(home, '.nanobot');

  return async (path) => {
    const asked = isUri(path) ? path : styleOf(path).normalize(path);
    const followed = await realPath(workspace, asked);
    const real = followed ?? asked;
    const within = (folder: string) => isInside(folder, real, ignoreCase);
    const isFree = free.some(within);
    const place: Place = isFree
      ? 'free'
      : within(home)
        ? 'own'
        : followed !== undefined && folders.some((folder) => insideFolder(folder, real, ignoreCase))
          ? 'workspace'
          : 'outside';
    const ours = !isFree && (within(config) || isInside(places.configFile, asked, ignoreCase) || within(settings));
    const sensitive: Words | undefined = ours
      ? (t) => t("Nanobot's own settings")
      : (sensitiveName(asked) ?? sensitiveName(real));
    const journal = journals.some((file) => isInside(file, real, ignoreCase) || isInside(file, asked, ignoreCase));
    return { path: asked, real, place, sensitive: isFree ? undefined : sensitive, journal };
  };
}

function insideFolder(folder: string, path: string, ignoreCase: boolean): boolean {
  // A URI is not normalised: `..` in it could lead anywhere.
  if (isUri(path) && /(^|\/)(\.|%2e){1,2}(\/|$)/i.test(path.slice(path.indexOf('://') + 3))) return false;
  return isInside(folder, path, ignoreCase);
}

async function realPath(workspace: Workspace, path: string): Promise<string | undefined> {
  try {
    return await workspace.realPath(path);
  } catch {
    return undefined; // Unreadable: nothing is known of where it leads.
  }
}
