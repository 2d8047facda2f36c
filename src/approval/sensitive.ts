import type { Words } from '../platform/words.js';
import { isWindowsPath } from './pathText.js';

/** Folders of keys: everything below them is sensitive. */
const FOLDERS = ['.ssh', '.aws', '.gnupg', '.gpg', '.azure', '.kube', '.password-store'];
const FOLDER_PAIRS = ['.config/gh', '.config/gcloud', '.config/op', '.docker/config.json', '.config/hub'];

const HOLDS_KEYS: Words = (t) => t('it holds keys of tools');
const CREDENTIALS: Words = (t) => t('a credentials file');

const NAMES: [RegExp, Words][] = [
  [/^\.env(?!\.example$).*/, (t) => t('environment files hold keys')],
  [/\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk)$/, (t) => t('a key or certificate')],
  [/^id_(rsa|ed25519|dsa|ecdsa)/, (t) => t('a private key')],
  [/^\.(npmrc|pypirc|netrc|pgpass|htpasswd|git-credentials|vault-token|yarnrc\.yml)$/, HOLDS_KEYS],
  [/^_netrc$/, HOLDS_KEYS],
  [/^\.?(aws|gcp|google|service)?[-_]?credentials?(\.(json|ya?ml|toml|ini|txt|xml|db))?$/, CREDENTIALS],
  [/^(service[-_]?account|client[-_]?secret).*\.json$/, CREDENTIALS],
  [/^\.?secrets?\.(json|ya?ml|toml|ini|env|txt)$/, (t) => t('a file of secrets')],
];

/** Files that make VS Code or Git run programs: an edit of them is more than an edit. */
const RUNS_PROGRAMS =
  /(^|\/)(\.git(\/|$)|\.vscode\/(settings|tasks|launch|mcp)\.json$|[^/]*\.code-workspace$|\.devcontainer\/|\.husky\/)/;

/**
 * Why a path is sensitive by its name (keys, credentials, folders such as `~/.ssh`), or undefined. Case never matters: some disks ignore it.
 * On Windows what its file system drops (trailing dots and spaces, streams) is dropped first.
 */
export function sensitiveName(path: string): Words | undefined {
  const segments = segmentsOf(path);
  if (segments.some((segment) => FOLDERS.includes(segment))) return (t) => t('a folder of keys');
  const whole = segments.join('/');
  if (FOLDER_PAIRS.some((pair) => `/${whole}/`.includes(`/${pair}/`))) return HOLDS_KEYS;
  const name = segments.at(-1) ?? '';
  return NAMES.find(([pattern]) => pattern.test(name))?.[1];
}

/** True for files whose content VS Code or Git runs (`.git/hooks`, `.vscode/tasks.json`). */
export function runsPrograms(path: string): boolean {
  return RUNS_PROGRAMS.test(segmentsOf(path).join('/'));
}

function segmentsOf(path: string): string[] {
  const windows = isWindowsPath(path);
  const segments = path.toLowerCase().split(windows ? /[\\/]/ : '/');
  return segments.map((segment, index) =>
    windows && index > 0 ? segment.replace(/:.*$/, '').replace(/[. ]+$/, '') : segment,
  );
}
