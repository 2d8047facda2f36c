import { join } from 'node:path';
import { decodeText, plainUtf8, type TextFormat } from '../../platform/encoding.js';
import type { Files } from '../../platform/ports.js';
import { Blocked } from './blocked.js';

/** Bytes of a file that Dream reads at most; a memory of this size is no memory any more. */
const MAX_BYTES = 1_000_000;

export interface HomeFilesDeps {
  files: Files;
  /** The agent's home. */
  home: string;
  /** A path with its symbolic links followed. */
  realPath(path: string): Promise<string>;
}

/** A text file of the home as it stands. */
export interface HomeFile {
  /** Below the home, with `/`. */
  path: string;
  /** Undefined where there is none. */
  bytes: Uint8Array | undefined;
  /** Without BOM, with its own line ends; empty where there is none. */
  text: string;
  format: TextFormat;
}

/**
 * Reads a file of the home. Throws `Blocked` where it is not a text file of this home: a link that leads elsewhere, a folder, binary, over
 * 1 MB, or with the marks of a merge that nobody has finished.
 */
export async function readHomeFile(deps: HomeFilesDeps, path: string): Promise<HomeFile> {
  await requireInHome(deps, path);
  const absolute = join(deps.home, path);
  const stat = await deps.files.stat(absolute);
  if (!stat) return { path, bytes: undefined, text: '', format: plainUtf8 };
  if (stat.type !== 'file')
    throw new Blocked((t) => t('{0} in {1} is not a file, so Dream leaves it alone.', path, deps.home));
  if (stat.size > MAX_BYTES) {
    const size = Math.round(stat.size / 1_000_000);
    throw new Blocked((t) => t('{0} has {1} MB. Dream reads up to 1 MB: make it shorter by hand.', path, size));
  }
  const bytes = await deps.files.read(absolute);
  const decoded = decodeText(bytes);
  if (!decoded)
    throw new Blocked((t) =>
      t('{0} in {1} is not a text, so Dream leaves it alone. Put a text there, or delete it.', path, deps.home),
    );
  const { text, encoding, bom } = decoded;
  if (/^<{7} /m.test(text) && /^>{7} /m.test(text)) {
    throw new Blocked((t) => t('{0} holds the marks of a merge (<<<<<<<). Resolve them, then Dream goes on.', path));
  }
  return { path, bytes, text, format: { encoding, bom } };
}

/** Throws `Blocked` where a link on the way leads somewhere else: Dream writes where the path says, or not at all. */
export async function requireInHome({ home, realPath }: HomeFilesDeps, path: string): Promise<void> {
  const wanted = join(await realPath(home), ...path.split('/'));
  const real = await realPath(join(home, ...path.split('/')));
  if (real === wanted) return;
  throw new Blocked((t) =>
    t('{0} is a link to {1}. Dream changes only files that lie in the home itself.', path, real),
  );
}
