import { isInside, styleOf } from './pathText.js';
import { nameOf } from './programs.js';
import {
  absolute,
  argumentsOf,
  folderOf,
  hasOption,
  operandsOf,
  textsOf,
  type Variables,
  type Where,
} from './resolve.js';
import type { SimpleCommand, Word } from './shellTypes.js';

const TURNS_OFF = ['shutdown', 'reboot', 'halt', 'poweroff', 'stop-computer', 'restart-computer'];
const FORMATS = [
  'newfs',
  'mke2fs',
  'wipefs',
  'blkdiscard',
  'format-volume',
  'clear-disk',
  'initialize-disk',
  'diskpart',
];
const DISK = /^\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|loop|dm-|md|mapper\/|sr|nbd|zd|block\/|mem|kmem|port)/;
const WINDOWS_DEVICE = /^[\\/]{2}\.[\\/]/;
/** Devices that `dd` may write: they swallow data, or are terminals and serial lines. */
const NO_DISK = /^\/dev\/(null|zero|full|random|urandom|tty.*|std(in|out|err)|fd\/\d+|ptmx|pts\/.+|shm\/.+|cu\..+)$/;

/** Deletion in PowerShell and cmd, whose switches look like `/s`. */
const WINDOWS_DELETE = /^(remove-item|ri|rd|rmdir|del|erase)$/;

/** Why a command is refused in every mode, or undefined. Paths are judged elsewhere. */
export function blockedReason(command: SimpleCommand, variables: Variables, where: Where): string | undefined {
  const name = nameOf(command);
  const args = argumentsOf(command);
  const device = command.redirections.find((each) => each.writes && isDevice(each.target.text));
  if (device) return `It writes to the device ${device.target.text}.`;
  if (name === undefined) {
    const looksLikeDelete = hasOption(args, 'rR') && hasOption(args, 'f');
    return looksLikeDelete ? wipes(command, variables, where) : undefined;
  }
  const bare = !/[\\/]/.test(command.words[0]?.text ?? '') || /^\/(usr\/)?s?bin\//.test(command.words[0]?.text ?? '');
  if (bare && turnsOff(name, args)) return 'It shuts down or restarts the machine.';
  if (formats(name, args)) return 'It formats a disk.';
  if (['dd', 'tee', 'cp', 'mv', 'install', 'shred', 'truncate'].includes(name)) {
    const target = args
      .map((arg) => arg.replace(/^of=/, ''))
      .find((arg, index) => writesArgument(name, args, index) && isDevice(arg, name === 'dd'));
    if (target !== undefined) return `It writes to the device ${target}.`;
  }
  return deletesAll(name, args) ? wipes(command, variables, where) : undefined;
}

function isDevice(path: string, byDd = false): boolean {
  if (byDd && path.startsWith('/dev/')) return !NO_DISK.test(path);
  return DISK.test(path) || WINDOWS_DEVICE.test(path);
}

function writesArgument(name: string, args: string[], index: number): boolean {
  if (name === 'dd') return args[index]?.startsWith('of=') ?? false;
  return name === 'cp' || name === 'install' ? index === args.length - 1 : true;
}

function turnsOff(name: string, args: string[]): boolean {
  if (TURNS_OFF.includes(name)) return true;
  if (name === 'init' || name === 'telinit') return args.some((arg) => /^[06]$/.test(arg));
  const verbs = /^(reboot|poweroff|halt|kexec|soft-reboot|suspend|hibernate|hybrid-sleep)$/;
  return (name === 'systemctl' || name === 'loginctl') && args.some((arg) => verbs.test(arg));
}

function formats(name: string, args: string[]): boolean {
  if (/^mkfs(\.|$)/.test(name) || FORMATS.includes(name)) return true;
  if (name === 'format') return args.some((arg) => /^[a-z]:[\\/]?$/i.test(arg));
  return name === 'diskutil' && args.some((arg) => /^(erase|partition|reformat|zero|secureErase)/i.test(arg));
}

/** Whether the command deletes folders with all they hold. */
export function deletesRecursively(name: string, args: readonly string[]): boolean {
  const lower = args.map((arg) => arg.toLowerCase());
  if (name === 'rm') return hasOption(args, 'rR', '--recursive') || lower.some((arg) => /^-rec/.test(arg));
  if (WINDOWS_DELETE.test(name)) {
    return lower.some((arg) => /^-r(e(c(u(r(se?)?)?)?)?)?(:\$true)?$/.test(arg) || /^\/s(\/|$)/.test(arg));
  }
  if (name === 'find') return args.includes('-delete');
  return name === 'rimraf' || name === 'del-cli';
}

/** Tests that leave out some files: `find / -name core -delete` is dangerous, yet no deletion of everything. */
const FILTERS =
  /^-(i?name|i?path|i?regex|i?wholename|i?lname|mtime|mmin|atime|ctime|newer.*|size|empty|user|perm|type)$/;

/** Whether a command deletes everything in the folders it names, and not only some of it. */
export function deletesAll(name: string, args: readonly string[]): boolean {
  return deletesRecursively(name, args) && !(name === 'find' && args.some((arg) => FILTERS.test(arg)));
}

function wipes(command: SimpleCommand, variables: Variables, where: Where): string | undefined {
  const isFind = nameOf(command) === 'find';
  const words = command.words.slice(1);
  const start = isFind ? words.findIndex((word) => /^[-(!]/.test(word.text)) : -1;
  const targets = isFind ? words.slice(0, start < 0 ? undefined : start) : operandsOf(words);
  const folder = folderOf(command, variables, where);
  const named = targets.filter((word) => !(WINDOWS_DELETE.test(nameOf(command) ?? '') && /^\/[a-z]$/i.test(word.text)));
  const hit = named.find((word) => targetsOf(word, folder, variables, where).some((path) => holdsHome(path, where)));
  return hit ? `It deletes everything below ${hit.text}.` : undefined;
}

/** The folders whose whole content a word stands for: `/x/*` is all of `/x`. */
function targetsOf(word: Word, folder: string | undefined, variables: Variables, where: Where): string[] {
  return (textsOf(word, variables, where) ?? []).flatMap((text) => {
    let target = text;
    while (
      word.pattern &&
      target.length < 300 &&
      /(^|[\\/])(?:\[[^\]]*\]|[*?.!])*[*?](?:\[[^\]]*\]|[*?.!])*[\\/]*$/.test(target)
    ) {
      const shorter = target.replace(/[^\\/]*[\\/]*$/, '');
      if (shorter === target) break;
      target = shorter === '' ? '.' : shorter;
    }
    const path = absolute(target, folder, where, word.tilde);
    return path === undefined ? [] : [path];
  });
}

/** The root of the disk, of a drive, a folder of all home folders, or the person's own. */
function holdsHome(path: string, where: Where): boolean {
  const style = styleOf(path);
  const clean = path.replace(/(.)[\\/]+$/, '$1');
  if (/^\/(mnt\/|cygdrive\/)?[a-zA-Z]$/.test(clean) || /^(\/home|\/Users)$/.test(clean)) return true;
  if (style.parse(path).root === path || /^[a-zA-Z]:[\\/]?$/.test(clean)) return true;
  return isInside(path, where.userHome, true);
}
